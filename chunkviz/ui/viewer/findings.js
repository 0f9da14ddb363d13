/** Icons side by side on one line; a telephone has room for fewer. */
const MOST_ICONS = 3
const MOST_ICONS_NARROW = 1
/** A passage longer than this is shown by its beginning, not by an outline. */
const OUTLINED_UNITS = 600

/** One stroke drawing a kind, on a field of 16 by 16. */
const FINDING_ICONS = {
  word: "M1.5 12 4 4l2.5 8M2.4 9.5h3.2M11 6.5h3.5l-3.5 5.5h3.5M8.5 2v2M8.5 6.5v2.5M8.5 11.5v2.5",
  sentence: "M2 3.5h12M2 8h12M2 12.5h4M9.5 10.5l4 4M13.5 10.5l-4 4",
  "table row": "M1.5 5.5h13v5h-13zM6 5.5v5M10 5.5v5M1.5 2.5h13M1.5 13.5h13",
  table: "M2 2.5h12v11H2zM2 6.2h12M2 9.8h12M6.5 2.5v11",
  "list item": "M2.5 8h1.2M6.5 6h8M6.5 10h5.5",
  list: "M2 3.5h1.2M6 3.5h8M2 8h1.2M6 8h8M2 12.5h1.2M6 12.5h8",
  "code fence": "M5.5 4 1.5 8l4 4M10.5 4l4 4-4 4",
  "stranded heading": "M4 2v9M12 2v9M4 6.5h8M2 14h12",
  "opening pronoun": "M6 3 2 7l4 4M2 7h7.5a4 4 0 0 1 4 4v2.5",
  tiny: "M8 1v5M5.5 3.7 8 6.2l2.5-2.5M8 15v-5M5.5 12.3 8 9.8l2.5 2.5",
  oversize: "M8 6.5v-5M5.5 4 8 1.5 10.5 4M8 9.5v5M5.5 12 8 14.5l2.5-2.5",
  "near-duplicate": "M2 2h8v8H2zM6 10v4h8V6h-4",
}

/** All objections to one chunking, in the order of their places; offsets in UTF-16 units. */
class FindingList {
  /** @param {object} head @param {Uint8Array} body @param {DocumentText} text */
  constructor(head, body, text) {
    const numbers = new NumberReader(body)
    this.count = head.count
    this.labels = head.kinds
    this.kinds = numbers.column(this.count)
    this.chunks = numbers.column(this.count)
    const starts = numbers.column(this.count)
    for (let row = 1; row < this.count; row++) starts[row] += starts[row - 1]
    const lengths = numbers.column(this.count)
    this.starts = starts.map((points) => text.toUnits(points))
    this.ends = starts.map((points, row) => text.toUnits(points + lengths[row]))
    this.sentences = JSON.parse(new TextDecoder().decode(body.subarray(numbers.at)))
  }

  /** @param {number} row @returns {string} */
  kind(row) {
    return this.labels[this.kinds[row]]
  }
}

/** Icons beside the lines where something is objected to, and keys to go through them. */
class Findings {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer
    this.list = null
    this.current = -1
    this.element = made("div", "finding-layer")
    this.element.setAttribute("role", "group")
    this.element.setAttribute("aria-label", "Findings in sight")
    this.bar = new LayerBar(viewer, { one: "finding", key: "f", onStep: (by) => this.step(by) })
    viewer.parts.sheet.append(this.element)
    this.element.onclick = (event) => this.click(event)
    this.element.onpointermove = (event) => this.hover(event)
    this.element.onpointerleave = () => viewer.hideTooltip()
  }

  /** Take a message, or what an earlier one left; of other boundaries it is nothing. @param {object | null} sent */
  meet(sent) {
    const { text, chunks } = this.viewer
    const wanted = sent?.head.chunking === chunks.fingerprint && sent.head.count ? sent : null
    if (this.sent === wanted) return
    this.sent = wanted
    this.list = wanted && new FindingList(wanted.head, wanted.body, text)
    this.current = -1
    this.viewer.element.classList.toggle("linted", Boolean(wanted))
    this.bar.show(Boolean(wanted))
    if (this.viewer.layers.focus) this.follow(this.viewer.layers.focus)
    this.tell()
    this.viewer.drawSoon()
  }

  /** The page went to a place: a finding there becomes the current one. @param {[number, number]} focus */
  follow([start, end]) {
    if (!this.list) return
    const first = lastAtOrBefore(this.list.starts, start - 1) + 1
    for (let row = first; row < this.list.count && this.list.starts[row] === start; row++) {
      if (this.list.ends[row] === end) this.current = row
    }
    this.tell()
  }

  /**
   * Make what is near the window; see `Lanes.prepare`.
   * @param {number} from @param {number} to in UTF-16 units @param {Places} places @returns {() => void} puts it in place
   */
  prepare(from, to, places) {
    const parts = document.createDocumentFragment()
    const { list, viewer } = this
    if (list) {
      const lines = []
      const first = lastAtOrBefore(list.starts, from - 1) + 1
      for (let row = first; row < list.count && list.starts[row] <= to && row - first < MOST_MARKS; row++) {
        const edge = this.edgeOf(row, places)
        if (!edge) continue
        const line = lines.find(({ top }) => Math.abs(top - edge.top) < 8)
        if (line) line.rows.push(row)
        else lines.push({ top: edge.top, bottom: edge.bottom, rows: [row] })
        this.marks(row, edge, from, to, places).forEach((part) => parts.append(part))
      }
      const left = places.left + places.width + 6
      const room = viewer.parts.reading.clientWidth < NARROW_WINDOW ? MOST_ICONS_NARROW : MOST_ICONS
      lines.forEach((line) => parts.append(this.icons(line, left, room)))
    }
    return () => this.element.replaceChildren(parts)
  }

  /** Where a finding is: behind the letter it follows, or before the one it begins with. */
  edgeOf(row, places) {
    const [start, end] = [this.list.starts[row], this.list.ends[row]]
    const behind = start === end && start > 0 && /\S/.test(this.viewer.text.text[start - 1])
    return behind ? places.edgeOf(start) : this.viewer.overlay.edge(start, "before", places.origin)
  }

  /** A wedge at a place between letters, a line under a passage. @returns {HTMLElement[]} */
  marks(row, edge, from, to, places) {
    const [start, end] = [this.list.starts[row], this.list.ends[row]]
    const current = row === this.current
    if (start === end) {
      const wedge = made("i", "finding-wedge")
      wedge.classList.toggle("current", current)
      wedge.dataset.finding = row
      wedge.style.cssText = `left:${edge.x}px;top:${edge.bottom - 2}px;`
      return [wedge]
    }
    const whole = this.list.kinds[row] >= this.list.labels.indexOf("tiny")
    if ((whole && !current) || end - start > OUTLINED_UNITS) return []
    const boxes = this.viewer.overlay.outline([start, end], from, to, places.origin)
    boxes.forEach((box) => (box.className = current ? "outline" : "finding-line"))
    return boxes
  }

  /** The icons of one line; what has no room is counted. */
  icons({ top, bottom, rows }, left, room) {
    const here = made("div", "finding-icons")
    here.style.cssText = `left:${left}px;top:${(top + bottom) / 2 - 9}px;`
    here.dataset.rows = rows.join()
    const kinds = new Map()
    for (const row of rows) kinds.set(this.list.kind(row), [...(kinds.get(this.list.kind(row)) ?? []), row])
    const shown = [...kinds].slice(0, room)
    for (const [kind, same] of shown) {
      const icon = made("span", "finding")
      icon.setAttribute("role", "img")
      icon.dataset.finding = same[0]
      icon.dataset.kind = kind
      icon.classList.toggle("current", same.includes(this.current))
      icon.setAttribute("aria-label", same.map((row) => this.list.sentences[row]).join(" "))
      icon.append(findingIcon(kind))
      here.append(icon)
    }
    const more = rows.length - shown.length
    if (more > 0) here.append(made("span", "finding-more", `+${more}`))
    return here
  }

  /** @param {number} by */
  step(by) {
    if (!this.list) return
    const from = this.current >= 0 ? this.current + by : lastAtOrBefore(this.list.starts, Math.floor(this.viewer.page.seen()[0])) + 1
    this.goTo(Math.min(this.list.count - 1, Math.max(0, from)))
  }

  /** @param {number} row */
  goTo(row) {
    const { page } = this.viewer
    this.current = row
    const start = this.list.starts[row]
    if (!page.inSight(start, start + 1)) page.scrollTo(start, 0.35)
    this.viewer.drawSoon()
    this.tell()
    this.viewer.parts.live.textContent = `${this.bar.count.textContent}: ${this.list.sentences[row]}`
  }

  /** Count and sentence beside the buttons. */
  tell() {
    const { list, current } = this
    if (!list) return
    this.bar.tell(list.count, current)
    if (current < 0) return this.bar.say("Press f for the next one, Shift+f for the one before.")
    return this.bar.said.replaceChildren(findingIcon(list.kind(current)), list.sentences[current])
  }

  /** @param {MouseEvent} event */
  click(event) {
    const icon = event.target.closest("[data-finding]")
    if (!icon) return
    event.stopPropagation()
    this.goTo(Number(icon.dataset.finding))
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const line = event.target.closest("[data-rows]")
    if (!line || event.pointerType === "touch") return this.viewer.hideTooltip()
    event.stopPropagation()
    const rows = line.dataset.rows.split(",").map(Number)
    const parts = rows.slice(0, 8).map((row) => {
      const about = made("div", "about-finding")
      about.append(findingIcon(this.list.kind(row)), made("span", "", this.list.sentences[row]))
      return about
    })
    if (rows.length > 8) parts.push(made("div", "about-finding", `and ${counted(rows.length - 8, "more finding")}`))
    return this.viewer.showBeside(parts, event)
  }
}

/** @param {string} kind @returns {SVGElement} */
function findingIcon(kind) {
  const space = "http://www.w3.org/2000/svg"
  const icon = document.createElementNS(space, "svg")
  icon.setAttribute("viewBox", "0 0 16 16")
  icon.setAttribute("class", "finding-icon")
  icon.setAttribute("aria-hidden", "true")
  const path = document.createElementNS(space, "path")
  path.setAttribute("d", FINDING_ICONS[kind] ?? "")
  icon.append(path)
  return icon
}
