"""Room for animations that come later, for pages that are drawn before the engines are loaded."""

#: As high as a small animation, where one will be.
ROOM = '<div class="animation animation-small"></div>'
#: Where small animations have the legend that they share.
LEGEND = '<div class="animation-legends"></div>'
