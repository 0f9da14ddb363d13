/** Height of the line of words below the curve in a file. */
const WORDS = 26

/** The curve as it is on the screen, with the line of words that tells what it holds. @param {Curve} curve @returns {string} */
function svgOfCurve(curve) {
  const { width, height } = curve.picture
  const canvas = svgCanvas(width, height)
  const copy = Object.assign(Object.create(Object.getPrototypeOf(curve.picture)), curve.picture, { still: canvas, moving: canvas })
  const { threshold, found } = curve.shown
  copy.drawStill(curve.colours)
  copy.drawMoving(curve.colours, { threshold, found, selected: curve.preview ? null : curve.bodies.state.head.selected, pointed: -1 })
  const { context } = canvas
  Object.assign(context, { font: `12px ${curve.colours.font}`, fillStyle: curve.colours.text, textAlign: "left", textBaseline: "alphabetic" })
  context.fillText(`${curve.parts.value.textContent} · ${curve.parts.said.textContent}`, EDGE.left, height + WORDS - 8)
  return svgPage(width, height + WORDS, curve.colours.paper, context.toString())
}

/** Let a curve be saved. @param {Curve} curve */
function addFigureButtons(curve) {
  curve.element.querySelector(".below").append(figureButtons(() => svgOfCurve(curve), () => "similarity-curve", "similarity curve"))
}
