/** Elements of a page that scripts make. */

export function button(label, action) {
  const one = made("button", { type: "button" }, label);
  one.addEventListener("click", action);
  return one;
}

export function made(tag, attributes, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}
