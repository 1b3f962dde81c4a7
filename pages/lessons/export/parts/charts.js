/** The charts of a page, drawn by Plotly's script when they come into sight: in the reader's theme, on paper in the light one. */

/** The charts by their places, and what each shows; `alike` has the dark theme's colour of each of the light one. */
export class Charts {
  constructor({ figures, alike, config }) {
    Object.assign(this, { figures, alike, config, paper: false });
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.boxes = [...document.querySelectorAll(".chart")];
    if (typeof Plotly === "undefined") { // the page came without its script: the words are there
      for (const box of this.boxes) box.textContent = "The file plotly.min.js, which belongs beside this page, draws this chart. In words:";
      return;
    }
    for (const box of this.boxes) {
      box.replaceChildren();
      box.style.minHeight = `${figures[box.id].layout.height}px`;
    }
    const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      target.near = isIntersecting;
      if (isIntersecting) this.draw(target);
    }), { rootMargin: "50%" });
    this.boxes.forEach((box) => seen.observe(box));
    const again = () => this.boxes.forEach((box) => (box.near ? this.draw(box) : delete box.drawn));
    this.dark.addEventListener("change", again);
    addEventListener("resize", again);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  /** Draw a chart if anything about it is new. */
  draw(box) {
    const { data, layout } = this.figures[box.id], wide = this.paper ? 500 : box.clientWidth;
    const dark = this.dark.matches && !this.paper, wanted = `${wide} ${dark} ${box.dataset.version ?? ""}`;
    if (!wide || box.drawn === wanted) return;
    box.drawn = wanted;
    const colored = JSON.parse(dark ? this.darkened(JSON.stringify({ data, layout })) : JSON.stringify({ data, layout }));
    Plotly.react(box, colored.data, { ...colored.layout, width: wide, dragmode: false }, this.config);
  }

  /** The figure of the dark theme: the same, with other colours. */
  darkened(text) {
    return text.replace(/#[0-9A-F]{6}|rgba\(\d+,\d+,\d+/gi, (color) => this.alike[color] ?? color);
  }

  /** Show another figure in a place, with its words. */
  show(box, figure, alt) {
    this.figures[box.id] = figure;
    box.dataset.version = Number(box.dataset.version ?? 0) + 1;
    box.setAttribute("aria-label", alt);
    box.closest("figure").querySelector("figcaption").textContent = alt;
    if (typeof Plotly !== "undefined") this.draw(box);
  }

  print(paper) {
    this.paper = paper;
    this.boxes.forEach((box) => (box.clientWidth ? this.draw(box) : undefined));
  }
}
