const ROW_HEIGHT = 30
const ROWS_AROUND = 8

/** @typedef {{id: string, title: string, width: string, number?: boolean, value: (index: number) => string | number, shown?: (index: number) => string}} Column */

/** Columns in reading order; those the document has nothing for are left out. @returns {Column[]} */
function tableColumns(text, chunks) {
  const spanWidth = 1 + 0.46 * (chunks.count ? chunks.span(chunks.count - 1).length : 0)
  const path = (index) => text.headingsAt(chunks.pointStarts[index]).join(" › ")
  const words = (index) => firstWords(text.text, chunks.starts[index], chunks.ends[index], 90)
  const number = (id, title, width, value) => ({ id, title, width, number: true, value, shown: (index) => grouped(value(index)) })
  return [
    number("index", "#", "3rem", (index) => index + 1),
    { id: "span", title: "Span", width: `${spanWidth}rem`, number: true, value: (index) => chunks.pointStarts[index], shown: (index) => chunks.span(index) },
    number("tokens", "Tokens", "4.2rem", (index) => chunks.tokens[index]),
    number("characters", "Characters", "5.6rem", (index) => chunks.size(index)),
    number("overlap", "Overlap", "4.6rem", (index) => chunks.overlapBefore(index)),
    ...(text.headingStarts.length ? [{ id: "headings", title: "Headings", width: "minmax(6rem, 2fr)", value: path }] : []),
    ...(text.pages.length ? [number("page", "Page", "3.4rem", (index) => text.pageAt(chunks.pointStarts[index]))] : []),
    { id: "reason", title: "Ends at", width: "minmax(6rem, 8rem)", value: (index) => chunks.endsAt(index) },
    { id: "words", title: "First words", width: "minmax(6rem, 3fr)", value: words },
  ]
}

/**
 * Chunks whose text, headings or reason hold a query, in one pass over the document.
 * @returns {number[]}
 */
function searchChunks(text, chunks, query, within) {
  const needle = query.toLowerCase()
  const lower = text.lowerCase()
  const reasons = chunks.labels.map((label) => label.toLowerCase().includes(needle))
  const paths = text.headingPaths.map((path) => path.join(" › ").toLowerCase().includes(needle))
  let hit = lower === null ? -1 : lower.indexOf(needle)
  const inText = (index) => {
    const [start, end] = [chunks.starts[index], chunks.ends[index]]
    if (lower === null) return text.text.slice(start, end).toLowerCase().includes(needle)
    // Starts only grow, so the search never has to go back.
    while (hit >= 0 && hit < start) hit = lower.indexOf(needle, start)
    return hit >= 0 && hit + needle.length <= end
  }
  return within.filter((index) => {
    const found = inText(index)
    return found || reasons[chunks.reasons[index]] || paths[lastAtOrBefore(text.headingStarts, chunks.pointStarts[index])]
  })
}

/** All chunks as rows; only those in sight exist. */
class ChunkTable {
  /** @param {HTMLElement} element @param {(index: number) => void} onSelect @param {(query: string) => void} onSearch */
  constructor(element, onSelect, onSearch) {
    this.onSelect = onSelect
    this.onSearch = onSearch
    this.query = ""
    this.sort = { id: "index", down: false }
    this.onlyMarked = true
    this.selected = -1
    this.rows = []
    this.build(element)
  }

  /** @param {HTMLElement} element */
  build(element) {
    this.search = made("input", "search")
    Object.assign(this.search, { type: "search", placeholder: "Search text, headings, reasons" })
    this.search.setAttribute("aria-label", "Search chunks")
    this.search.oninput = () => this.searchSoon()
    this.marks = made("button", "toggle")
    this.marks.type = "button"
    this.marks.onclick = () => {
      this.onlyMarked = !this.onlyMarked
      this.refresh()
    }
    this.count = made("span", "matches")
    this.count.setAttribute("role", "status")
    const bar = made("div", "table-bar")
    bar.append(made("h3", "", "Chunks"), this.search, this.marks, this.count)
    this.grid = made("div", "grid")
    this.grid.setAttribute("role", "grid")
    this.grid.setAttribute("aria-label", "Chunk table")
    this.grid.tabIndex = 0
    this.head = made("div", "row head")
    this.head.setAttribute("role", "row")
    this.head.setAttribute("aria-rowindex", "1")
    this.space = made("div", "rows")
    this.space.setAttribute("role", "rowgroup")
    this.none = made("p", "empty none", "No chunk matches.")
    this.none.hidden = true
    this.grid.append(this.head, this.space, this.none)
    this.grid.onscroll = () => this.drawSoon()
    this.grid.onkeydown = (event) => this.press(event)
    this.space.onclick = (event) => {
      const row = event.target.closest("[data-index]")
      if (row) this.onSelect(Number(row.dataset.index))
    }
    element.replaceChildren(bar, this.grid)
  }

  /** @param {DocumentText} text @param {Chunks} chunks @param {Set<number>} marked */
  show(text, chunks, marked) {
    // Marks that arrive anew are meant to be seen, even if the filter was switched off for others.
    if (!this.marked || !sameSet(marked, this.marked)) this.onlyMarked = true
    Object.assign(this, { text, chunks, marked, columns: tableColumns(text, chunks) })
    if (!this.columns.some((column) => column.id === this.sort.id)) this.sort = { id: "index", down: false }
    this.grid.style.setProperty("--all", Math.max(3, chunks.count))
    this.grid.style.setProperty("--wide", this.columns.map((column) => column.width).join(" "))
    this.refresh()
  }

  /** Filter, search and sort anew. */
  refresh() {
    const filtered = this.marked.size > 0 && this.onlyMarked
    const all = filtered ? [...this.marked].filter((index) => index < this.chunks.count) : [...Array(this.chunks.count).keys()]
    this.rows = this.query ? searchChunks(this.text, this.chunks, this.query, all) : all
    this.sortRows()
    this.places = new Map(this.rows.map((index, place) => [index, place]))
    this.marks.hidden = this.marked.size === 0
    this.marks.textContent = `Only the ${grouped(this.marked.size)} marked`
    this.marks.setAttribute("aria-pressed", String(this.onlyMarked))
    const total = counted(this.chunks.count, "chunk")
    this.count.textContent = this.rows.length === this.chunks.count ? total : `${grouped(this.rows.length)} of ${total}`
    this.grid.setAttribute("aria-rowcount", String(this.rows.length + 1))
    this.grid.setAttribute("aria-colcount", String(this.columns.length))
    this.space.style.height = `${this.rows.length * ROW_HEIGHT}px`
    this.none.hidden = this.rows.length > 0
    this.drawHead()
    this.drawRows()
  }

  /** Sort by the chosen column; equal values stay in document order. */
  sortRows() {
    const { id, down } = this.sort
    if (id === "index" && !down) return
    const column = this.columns.find((each) => each.id === id)
    const keys = new Map(this.rows.map((index) => [index, column.value(index)]))
    const compare = column.number ? (a, b) => a - b : new Intl.Collator().compare
    this.rows.sort((a, b) => compare(keys.get(a), keys.get(b)) * (down ? -1 : 1) || a - b)
  }

  /** The header row, with a button in each cell. */
  drawHead() {
    this.head.replaceChildren(
      ...this.columns.map((column, place) => {
        const cell = made("div", `cell ${column.id}${column.number ? " numeric" : ""}`)
        const sorted = this.sort.id === column.id
        cell.setAttribute("role", "columnheader")
        cell.setAttribute("aria-colindex", String(place + 1))
        cell.setAttribute("aria-sort", sorted ? (this.sort.down ? "descending" : "ascending") : "none")
        const button = made("button", "sort", column.title)
        button.type = "button"
        if (sorted) button.append(made("span", "arrow", this.sort.down ? "▼" : "▲"))
        button.onclick = () => this.sortBy(column.id)
        cell.append(button)
        return cell
      }),
    )
  }

  /** @param {string} id of a column; a second time turns the order round */
  sortBy(id) {
    this.sort = { id, down: this.sort.id === id && !this.sort.down }
    this.refresh()
    this.grid.scrollTop = 0
    this.head.querySelector(`.${id} button`)?.focus()
  }

  /** One drawing per frame. */
  drawSoon() {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.drawRows())
  }

  /** Make the rows in sight. */
  drawRows() {
    if (!this.columns) return
    const first = Math.max(0, Math.floor(this.grid.scrollTop / ROW_HEIGHT) - ROWS_AROUND)
    const last = Math.min(this.rows.length, Math.ceil((this.grid.scrollTop + this.grid.clientHeight) / ROW_HEIGHT) + ROWS_AROUND)
    const rows = []
    for (let place = first; place < last; place++) rows.push(this.row(place))
    this.space.replaceChildren(...rows)
    const active = this.places.get(this.selected)
    if (active === undefined) this.grid.removeAttribute("aria-activedescendant")
    else this.grid.setAttribute("aria-activedescendant", `row-${this.selected}`)
  }

  /** @param {number} place @returns {HTMLElement} */
  row(place) {
    const index = this.rows[place]
    const row = made("div", `row${this.selected === index ? " selected" : ""}${this.marked.has(index) ? " marked" : ""}`)
    row.id = `row-${index}`
    row.dataset.index = index
    row.style.top = `${place * ROW_HEIGHT}px`
    row.setAttribute("role", "row")
    row.setAttribute("aria-rowindex", String(place + 2))
    row.setAttribute("aria-selected", String(this.selected === index))
    this.columns.forEach((column, at) => {
      const shown = column.shown ? column.shown(index) : column.value(index)
      const cell = made("div", `cell ${column.id}${column.number ? " numeric" : ""}`, shown)
      cell.setAttribute("role", "gridcell")
      cell.setAttribute("aria-colindex", String(at + 1))
      if (!column.number) cell.title = shown
      if (column.id === "words") cell.dir = "auto"
      if (column.id === "index") cell.classList.add(`hue-${index % HUES}`)
      row.append(cell)
    })
    return row
  }

  /** Show which chunk is selected, and bring its row into sight. @param {number} index or -1 */
  select(index) {
    this.selected = index
    const place = this.places?.get(index)
    if (place !== undefined) {
      const top = place * ROW_HEIGHT
      const room = this.grid.clientHeight - ROW_HEIGHT
      if (top < this.grid.scrollTop) this.grid.scrollTop = top
      else if (top + ROW_HEIGHT > this.grid.scrollTop + room) this.grid.scrollTop = top + ROW_HEIGHT - room
    }
    this.drawRows()
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.target !== this.grid || event.ctrlKey || event.metaKey || !this.rows.length) return
    const here = this.places.get(this.selected)
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW_HEIGHT) - 2)
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity, Enter: 0, " ": 0 }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const from = here ?? (step < 0 ? 0 : step > 0 ? -1 : 0)
    this.onSelect(this.rows[Math.min(this.rows.length - 1, Math.max(0, from + step))])
  }

  /** Search when typing pauses. */
  searchSoon() {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.query = this.search.value.trim()
      this.grid.scrollTop = 0
      if (this.chunks) this.refresh()
      this.onSearch(this.query)
    }, 120)
  }
}
