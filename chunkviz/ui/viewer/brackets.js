/** Lanes a window has room for; a telephone has room for fewer. */
const MOST_LANES = 8
const MOST_LANES_NARROW = 4
const NARROW_WINDOW = 560
const LANE_WIDTH = 8
/** More brackets than this near the window would be a smear, and slow. */
const MOST_BRACKETS = 400

/** All parents of one chunking, as columns, each behind the one it stands in. */
class Parents {
  /** @param {number} count @param {number} chunks @param {NumberReader} numbers at the parents' columns @param {DocumentText} text */
  constructor(count, chunks, numbers, text) {
    this.count = count
    this.ofChunk = numbers.column(chunks)
    const gaps = numbers.column(count)
    const lengths = numbers.column(count)
    this.tokens = numbers.column(count)
    this.levels = numbers.column(count)
    this.above = numbers.column(count)
    this.pointStarts = new Uint32Array(count)
    this.pointEnds = new Uint32Array(count)
    let start = 0
    for (let place = 0; place < count; place++) {
      start += (gaps[place] >>> 1) ^ -(gaps[place] & 1)
      this.pointStarts[place] = start
      this.pointEnds[place] = start + lengths[place]
    }
    this.starts = this.pointStarts.map((points) => text.toUnits(points))
    this.ends = this.pointEnds.map((points) => text.toUnits(points))
    this.hues = this.levels.map(counter())
    this.countChildren(chunks)
    this.placeLanes()
  }

  /** Direct children of each parent, and the first chunk in it. @param {number} chunks */
  countChildren(chunks) {
    this.children = new Uint32Array(this.count)
    this.firstChunk = new Int32Array(this.count).fill(-1)
    for (let chunk = 0; chunk < chunks; chunk++) {
      const parent = this.ofChunk[chunk] - 1
      if (parent >= 0) this.children[parent]++
      for (let place = parent; place >= 0 && this.firstChunk[place] < 0; place = this.above[place] - 1) this.firstChunk[place] = chunk
    }
    for (const above of this.above) if (above) this.children[above - 1]++
  }

  /** Give each parent the outermost lane that is free of its own kind, right of the one it stands in. */
  placeLanes() {
    this.lane = new Uint32Array(this.count)
    const busy = []
    // The furthest end so far tells where to begin looking for what reaches into a stretch.
    this.reach = new Uint32Array(this.count)
    for (let place = 0; place < this.count; place++) {
      let lane = this.above[place] ? this.lane[this.above[place] - 1] + 1 : 0
      while (busy[lane] > this.starts[place]) lane++
      this.lane[place] = lane
      busy[lane] = this.ends[place]
      this.reach[place] = Math.max(place ? this.reach[place - 1] : 0, this.ends[place])
    }
    this.lanes = busy.length
  }

  /** Places of the parents that reach into a stretch, in order. @param {number} from @param {number} to in UTF-16 units @returns {number[]} */
  near(from, to) {
    const found = []
    for (let place = lastAtOrBefore(this.reach, from) + 1; place < this.count && this.starts[place] < to; place++) {
      if (this.ends[place] > from && found.length < MOST_BRACKETS) found.push(place)
    }
    return found
  }

  /** A chunk's parent and those above it, innermost first. @param {number} chunk or -1 @returns {number[]} */
  around(chunk) {
    const found = []
    for (let place = chunk < 0 ? -1 : this.ofChunk[chunk] - 1; place >= 0; place = this.above[place] - 1) found.push(place)
    return found
  }

  /** @param {number} place @returns {string} what it is, in words */
  describe(place) {
    const level = this.levels[place] > 1 ? `, level ${this.levels[place]}` : ""
    const children = this.children[place] === 1 ? "1 child" : `${grouped(this.children[place])} children`
    const span = `[${grouped(this.pointStarts[place])}, ${grouped(this.pointEnds[place])})`
    return `Parent ${grouped(place + 1)} of ${grouped(this.count)}${level}: ${counted(this.tokens[place], "token")}, ${children}, ${span}`
  }
}

/** Parents as brackets in the gutter; only those near the window exist. */
class Brackets {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer
    this.element = made("div", "brackets")
    this.element.setAttribute("role", "group")
    this.element.setAttribute("aria-label", "Parents in sight")
    this.note = made("p", "bracket-note")
    this.note.hidden = true
    viewer.parts.sheet.append(this.element)
    viewer.element.querySelector(".toolbar").after(this.note)
    this.element.onclick = (event) => this.click(event)
    this.element.onpointermove = (event) => this.hover(event)
    this.element.onpointerleave = () => viewer.hideTooltip()
  }

  /** Another chunking came: make room for its parents. */
  show() {
    const { chunks, element, parts } = this.viewer
    const parents = chunks.parents
    const room = parts.reading.clientWidth < NARROW_WINDOW ? MOST_LANES_NARROW : MOST_LANES
    this.crowded = Boolean(parents) && parents.lanes > room
    // Where parents overlap, several begin on one line, and a label names the first and the last.
    const letters = parents ? String(parents.count).length * (parents.lanes > 1 && !this.crowded ? 2 : 1) : 0
    const label = parents ? 13 + 6.5 * letters : 0
    const lanes = parents ? (this.crowded ? 1 : parents.lanes) * LANE_WIDTH + 4 : 0
    element.style.setProperty("--brackets-label", `${label}px`)
    element.style.setProperty("--brackets", `${label + lanes}px`)
    this.label = label
    this.note.hidden = !this.crowded
    this.note.textContent = this.crowded ? `Up to ${parents.lanes} parents overlap here; the bracket shows the one of the selected chunk.` : ""
  }

  /** @param {number} from @param {number} to in UTF-16 units */
  draw(from, to) {
    const { chunks, layers, overlay } = this.viewer
    const parts = document.createDocumentFragment()
    const parents = chunks.parents
    if (parents) {
      const origin = this.element.getBoundingClientRect()
      const chosen = new Set(parents.around(layers.selected))
      const near = parents.near(from, to).filter((place) => !this.crowded || chosen.has(place))
      const begun = []
      for (const place of near) {
        const box = this.boxOf(overlay, parents, place, from, to, origin)
        parts.append(this.bracket(parents, place, box, chosen))
        if (parents.starts[place] >= from) begun.push({ place, top: box.top })
      }
      labelParts(begun, chosen, parents.hues).forEach((part) => parts.append(part))
    }
    this.element.replaceChildren(parts)
  }

  /** Top and bottom of a parent in the sheet; what is out of sight is cut off. */
  boxOf(overlay, parents, place, from, to, origin) {
    const first = overlay.edge(Math.max(from, parents.starts[place]), "before", origin)
    const last = overlay.edge(Math.min(to, parents.ends[place]), "after", origin)
    return { top: first?.top ?? 0, bottom: last?.bottom ?? first?.bottom ?? 0, above: parents.starts[place] < from, below: parents.ends[place] > to }
  }

  /** @returns {HTMLElement} */
  bracket(parents, place, box, chosen) {
    const part = made("div", `bracket hue-${parents.hues[place]}`)
    part.classList.toggle("selected", chosen.has(place))
    part.classList.toggle("open-above", box.above)
    part.classList.toggle("open-below", box.below)
    part.dataset.parent = place
    part.setAttribute("role", "img")
    part.setAttribute("aria-label", parents.describe(place))
    const lane = this.crowded ? 0 : parents.lane[place]
    part.style.cssText = `left:${this.label + lane * LANE_WIDTH}px;top:${box.top + 2}px;height:${Math.max(6, box.bottom - box.top - 4)}px;`
    return part
  }

  /** A click on a bracket goes to the parent's first chunk. @param {MouseEvent} event */
  click(event) {
    const bracket = event.target.closest(".bracket")
    if (!bracket) return
    event.stopPropagation()
    this.viewer.choose(this.viewer.chunks.parents.firstChunk[Number(bracket.dataset.parent)], true)
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const bracket = event.target.closest(".bracket")
    const { viewer } = this
    event.stopPropagation()
    if (!bracket || event.pointerType === "touch") return viewer.hideTooltip()
    const about = made("div", `about hue-${viewer.chunks.parents.hues[bracket.dataset.parent]}`)
    about.append(made("strong", "", bracket.getAttribute("aria-label")), made("div", "", "Returned when one of its children is found. Click to go to the first."))
    return viewer.showBeside([about], event)
  }
}

/** Hues go round within a level, so that neighbours differ however many parents stand in them. @returns {(level: number) => number} */
function counter() {
  const before = []
  return (level) => (before[level] = (before[level] ?? -1) + 1) % HUES
}

/** One label per line: "P3", or "P3–5" where several parents begin. @returns {HTMLElement[]} */
function labelParts(begun, chosen, hues) {
  const lines = []
  for (const each of begun) {
    const line = lines.find(({ top }) => Math.abs(top - each.top) < 8)
    if (line) line.places.push(each.place)
    else lines.push({ top: each.top, places: [each.place] })
  }
  return lines.map(({ top, places }) => {
    const [first, last] = [places[0], places[places.length - 1]]
    const label = made("div", `bracket-label hue-${hues[first]}`, first === last ? `P${first + 1}` : `P${first + 1}–${last + 1}`)
    label.classList.toggle("selected", places.some((place) => chosen.has(place)))
    label.style.top = `${top}px`
    label.setAttribute("aria-hidden", "true")
    return label
  })
}

/** @param {Chunks} chunks @param {number} index @returns {string} ", in parent 3", or nothing */
function inParent(chunks, index) {
  const parent = chunks.parents?.ofChunk[index]
  return parent ? `, in parent ${grouped(parent)}` : ""
}
