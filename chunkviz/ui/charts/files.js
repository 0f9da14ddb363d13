/** What a figure on the screen has from style sheets, and needs of its own in a file. */
const FIGURE_STYLES = [
  "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin",
  "opacity", "visibility", "vector-effect",
]
const FIGURE_LETTERS = ["font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline"]
/** Pixels of a PNG for one of the screen. */
const SHARPNESS = 2

/** @param {string} text @returns {string} as text or attribute of XML, without what XML has no sign for */
function escapedForXml(text) {
  // eslint-disable-next-line no-control-regex
  const clean = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
  return clean.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign])
}

/** @param {number} width @param {number} height @param {string} paper a colour @param {string} inner @returns {string} */
function svgPage(width, height, paper, inner) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${escapedForXml(paper)}"/>${inner}</svg>`
  )
}

/**
 * The drawings of an element as one SVG that needs no style sheet.
 * @param {Iterable<SVGSVGElement>} drawings one over the other, or each at its place
 * @param {DOMRect} frame what is kept, in pixels of the window
 * @param {string} paper the colour behind them
 * @param {string} more elements of SVG over them
 * @returns {string}
 */
function svgOfDrawings(drawings, frame, paper, more = "") {
  const parts = []
  for (const drawing of drawings) {
    const box = drawing.getBoundingClientRect()
    if (!box.width || !box.height) continue
    const copy = drawing.cloneNode(true)
    const originals = [drawing, ...drawing.querySelectorAll("*")]
    const copies = [copy, ...copy.querySelectorAll("*")]
    originals.forEach((element, place) => {
      if (element instanceof SVGElement) standAlone(element, copies[place])
    })
    for (const [name, value] of Object.entries({ x: box.left - frame.left, y: box.top - frame.top, width: box.width, height: box.height })) {
      copy.setAttribute(name, value)
    }
    copy.removeAttribute("style")
    freeLegends(drawing, copy)
    parts.push(new XMLSerializer().serializeToString(copy))
  }
  // A reference that names the page before its # means this very file.
  const inner = parts.join("").replace(/url\((?:&quot;|'|")?[^)#]*(#[^)"'&]+)(?:&quot;|'|")?\)/g, "url($1)")
  return svgPage(Math.round(frame.width), Math.round(frame.height), paper, inner + more)
}

/**
 * A legend is clipped to the width that its letters have on the screen; whoever opens the file may have wider ones. One
 * that is scrolled stays clipped.
 * @param {SVGElement} drawing as it is on the screen @param {SVGElement} copy
 */
function freeLegends(drawing, copy) {
  const [originals, copies] = [drawing, copy].map((each) => [...each.querySelectorAll(".legend .scrollbox")])
  originals.forEach((box, place) => {
    const frame = box.closest(".legend").querySelector(".bg")
    const whole = frame && box.getBoundingClientRect().height <= frame.getBoundingClientRect().height + 2
    if (whole) copies[place].removeAttribute("clip-path")
  })
}

/** @param {SVGElement} element as it is on the screen @param {SVGElement} copy given the same looks */
function standAlone(element, copy) {
  const style = getComputedStyle(element)
  const letters = element.localName === "text" || element.localName === "tspan"
  const names = letters ? [...FIGURE_STYLES, ...FIGURE_LETTERS] : FIGURE_STYLES
  for (const name of names) {
    const value = style.getPropertyValue(name)
    if (value) copy.style.setProperty(name, value)
  }
}

/** Draws as a canvas context does, and writes down an SVG. */
class SvgContext {
  constructor() {
    this.parts = []
    this.clips = 0
    this.depth = [0]
    this.state = {
      fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "10px sans-serif", textAlign: "start",
      textBaseline: "alphabetic", dash: [],
    }
    this.saved = []
    this.path = ""
    for (const name of ["fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign", "textBaseline"]) {
      Object.defineProperty(this, name, { get: () => this.state[name], set: (value) => (this.state[name] = value) })
    }
  }

  // Sharpness and erasing concern pixels alone.
  setTransform() {}
  scale() {}
  clearRect() {}

  save() {
    this.saved.push({ ...this.state })
    this.depth.push(0)
  }

  restore() {
    this.state = this.saved.pop() ?? this.state
    this.parts.push("</g>".repeat(this.depth.pop() ?? 0))
    if (!this.depth.length) this.depth.push(0)
  }

  setLineDash(dash) {
    this.state.dash = dash
  }

  beginPath() {
    this.path = ""
  }

  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`
  }

  lineTo(x, y) {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`
  }

  rect(x, y, width, height) {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`
  }

  roundRect(x, y, width, height, radius) {
    const corner = (across, down) => `a${radius} ${radius} 0 0 1 ${across * radius} ${down * radius}`
    const [wide, tall] = [short(width - 2 * radius), short(height - 2 * radius)]
    this.path +=
      `M${short(x + radius)} ${short(y)}h${wide}${corner(1, 1)}v${tall}${corner(-1, 1)}h${-wide}${corner(-1, -1)}v${-tall}${corner(1, -1)}Z`
  }

  /** Whole circles only: there are no others. */
  arc(x, y, radius) {
    const half = (by) => `a${radius} ${radius} 0 0 1 ${by} 0`
    this.path += `M${short(x - radius)} ${short(y)}${half(2 * radius)}${half(-2 * radius)}Z`
  }

  clip() {
    const name = `clip${++this.clips}`
    this.parts.push(`<clipPath id="${name}"><path d="${this.path}"/></clipPath><g clip-path="url(#${name})">`)
    this.depth[this.depth.length - 1]++
  }

  fill() {
    this.write(`<path d="${this.path}" ${this.filling}/>`)
  }

  stroke() {
    const { strokeStyle, lineWidth, globalAlpha, dash } = this.state
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""
    const colour = escapedForXml(strokeStyle)
    this.write(`<path d="${this.path}" fill="none" stroke="${colour}" stroke-width="${lineWidth}" opacity="${globalAlpha}"${dashes}/>`)
  }

  fillRect(x, y, width, height) {
    this.write(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${this.filling}/>`)
  }

  fillText(text, x, y) {
    const { font, textAlign, textBaseline } = this.state
    const anchor = { right: "end", end: "end", center: "middle" }[textAlign] ?? "start"
    const baseline = textBaseline === "middle" ? ' dominant-baseline="central"' : ""
    this.write(
      `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"${baseline} style="font:${escapedForXml(font)}" ${this.filling}>` +
        `${escapedForXml(String(text))}</text>`,
    )
  }

  get filling() {
    return `fill="${escapedForXml(this.state.fillStyle)}" opacity="${this.state.globalAlpha}"`
  }

  write(part) {
    this.parts.push(part)
  }

  toString() {
    return this.parts.join("") + "</g>".repeat(this.depth.reduce((sum, each) => sum + each, 0))
  }
}

/**
 * The words of elements as text of SVG, each at its place, in one line.
 * @param {Iterable<HTMLElement>} elements @param {DOMRect} frame @returns {string}
 */
function svgOfWords(elements, frame) {
  const context = new SvgContext()
  for (const element of elements) {
    const [box, style] = [element.getBoundingClientRect(), getComputedStyle(element)]
    Object.assign(context, { font: `${style.fontSize} ${style.fontFamily}`, fillStyle: style.color, textBaseline: "middle" })
    context.fillText(element.textContent, box.left - frame.left, (box.top + box.bottom) / 2 - frame.top)
  }
  return context.toString()
}

/** @param {number} value @returns {number} to a hundredth of a pixel */
function short(value) {
  return Math.round(value * 100) / 100
}

/** What takes the place of a canvas where a file is drawn. @param {number} width @param {number} height */
function svgCanvas(width, height) {
  const context = new SvgContext()
  return { clientWidth: width, clientHeight: height, width: 0, height: 0, context, getContext: () => context }
}

/** Hand a figure to the person as a file. @param {string} svg @param {string} name without ending @param {"svg" | "png"} format */
async function saveFigure(svg, name, format) {
  const file = format === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pngOf(svg)
  const link = document.createElement("a")
  link.href = URL.createObjectURL(file)
  link.download = `${name}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** @param {string} svg @returns {Promise<Blob>} */
async function pngOf(svg) {
  const picture = new Image()
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await picture.decode()
  const canvas = document.createElement("canvas")
  Object.assign(canvas, { width: picture.naturalWidth * SHARPNESS, height: picture.naturalHeight * SHARPNESS })
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)
  return await new Promise((done) => canvas.toBlob(done, "image/png"))
}

/**
 * Two buttons that save a figure.
 * @param {() => string} draw gives the figure as SVG
 * @param {() => string} name of the file, without ending
 * @param {string} figure what people call it
 * @returns {HTMLElement}
 */
function figureButtons(draw, name, figure) {
  const group = document.createElement("div")
  group.className = "figure-files"
  group.setAttribute("role", "group")
  group.setAttribute("aria-label", `Save the figure: ${figure}`)
  for (const format of ["svg", "png"]) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = format.toUpperCase()
    button.title = `Save this figure as ${format.toUpperCase()}`
    button.onclick = () => saveFigure(draw(), name(), format)
    group.append(button)
  }
  return group
}
