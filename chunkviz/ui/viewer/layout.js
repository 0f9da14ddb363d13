/** Letters and lines the estimate of a block's height assumes until it has been laid out. */
const LETTER_WIDTH = 8
const CODE_LETTER_WIDTH = 8.5
/**
 * Blocks that are laid out, or skipped, together. The browser watches each skipped element in every
 * frame, so there should be hundreds of them at most; a section of some 50 kB is laid out in milliseconds.
 */
const SECTION_BLOCKS = 16
/** Milliseconds after a jump in which the text may still find its height. */
const SETTLING = 3000

/** The document laid out as blocks: made once, read often, never touched at a slider step. */
class Page {
  /** @param {HTMLElement} scroller @param {HTMLElement} sheet @param {HTMLElement} holder of the blocks */
  constructor(scroller, sheet, holder) {
    this.scroller = scroller
    this.sheet = sheet
    this.holder = holder
    this.document = null
    this.elements = []
    this.target = null
    this.growing = new ResizeObserver(() => this.regrown())
    this.growing.observe(holder)
    for (const event of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      scroller.addEventListener(event, () => (this.target = null), { passive: true })
    }
  }

  /** Leave nothing behind. */
  dispose() {
    cancelAnimationFrame(this.pending)
    this.growing.disconnect()
  }

  /** Lay out a new document. @param {DocumentText} text */
  show(text) {
    this.document = text
    this.elements = []
    this.target = null
    this.scroller.scrollTop = 0
    this.holder.className = text.code ? "blocks code" : "blocks"
    this.sections = []
    const estimate = this.heightEstimate()
    let height = 0
    text.blocks.forEach((start, block) => {
      const element = document.createElement("div")
      const content = text.text.slice(start, text.blockEnd(block))
      element.className = "block"
      element.dir = "auto"
      element.append(document.createTextNode(content))
      this.elements.push(element)
      if (block % SECTION_BLOCKS === 0) {
        this.sections.push(made("div", "section"))
        height = 0
      }
      const section = this.sections[this.sections.length - 1]
      section.append(element)
      height += estimate(content)
      section.style.containIntrinsicBlockSize = `auto ${height}px`
    })
    this.holder.replaceChildren(...this.sections)
  }

  /** @returns {(content: string) => number} guess of a text's height in pixels */
  heightEstimate() {
    const style = getComputedStyle(this.holder)
    const line = parseFloat(style.lineHeight) || 26
    const width = Math.min(this.holder.clientWidth || 720, 760) - 90
    const letters = Math.max(20, width / (this.document.code ? CODE_LETTER_WIDTH : LETTER_WIDTH))
    return (content) => {
      let lines = 0
      for (let at = 0; at < content.length; ) {
        const end = content.indexOf("\n", at)
        const stop = end < 0 ? content.length : end
        lines += Math.max(1, Math.ceil((stop - at) / letters))
        at = stop + 1
      }
      return Math.round(lines * line)
    }
  }

  /** @param {number} block @returns {Text[]} its text nodes; more than one only where elements paint */
  nodesOf(block) {
    const walker = document.createTreeWalker(this.elements[block], NodeFilter.SHOW_TEXT)
    const nodes = []
    while (walker.nextNode()) nodes.push(walker.currentNode)
    return nodes
  }

  /** @param {number} units @returns {{node: Text, offset: number}} where a document offset is in the tree */
  nodeAt(units) {
    const block = this.document.blockAt(units)
    let offset = units - this.document.blocks[block]
    const nodes = this.nodesOf(block)
    for (const node of nodes) {
      if (offset < node.length) return { node, offset }
      offset -= node.length
    }
    const node = nodes[nodes.length - 1]
    return { node, offset: node.length }
  }

  /** @param {Node} node @param {number} offset @returns {number | null} document offset of a place in the tree */
  unitsAt(node, offset) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node
    const holder = element?.closest?.(".block")
    if (!holder) return null
    const block = this.blockOf(holder)
    const before = document.createRange()
    before.setStart(holder, 0)
    before.setEnd(node, offset)
    return this.document.blocks[block] + before.toString().length
  }

  /** @param {HTMLElement} element @returns {number} its block, by place: blocks are in order */
  blockOf(element) {
    let low = 0
    let high = this.elements.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.elements[middle].compareDocumentPosition(element)
      if (order === 0) return middle
      if (order & Node.DOCUMENT_POSITION_FOLLOWING) low = middle + 1
      else high = middle - 1
    }
    return low
  }

  /** Box of the character at an offset. @param {number} units @param {boolean} last of its boxes @returns {DOMRect | null} */
  rectAt(units, last) {
    const { node, offset } = this.nodeAt(units)
    const code = node.data.charCodeAt(offset)
    const low = code >= 0xdc00 && code < 0xe000 ? offset - 1 : offset
    const width = node.data.charCodeAt(low) >= 0xd800 && node.data.charCodeAt(low) < 0xdc00 ? 2 : 1
    const range = document.createRange()
    range.setStart(node, Math.max(0, low))
    range.setEnd(node, Math.min(node.length, low + width))
    const rects = range.getClientRects()
    return rects.length ? rects[last ? rects.length - 1 : 0] : null
  }

  /** @param {number} start @param {number} end @returns {DOMRect[]} boxes of a passage, line by line */
  rectsOf(start, end) {
    const [from, to] = [this.nodeAt(start), this.nodeAt(end - 1)]
    const range = document.createRange()
    range.setStart(from.node, from.offset)
    range.setEnd(to.node, to.offset + 1)
    return [...range.getClientRects()]
  }

  /** Blocks near the viewport. @param {number} margin in viewport heights @returns {[number, number]} first and last */
  near(margin) {
    const { scrollTop, clientHeight } = this.scroller
    const room = clientHeight * margin
    return [this.blockBelow(scrollTop - room), this.blockBelow(scrollTop + clientHeight + room)]
  }

  /** @param {number} block @returns {number} its top in the sheet; asking lays out its section */
  topOf(block) {
    const section = this.sections[Math.floor(block / SECTION_BLOCKS)]
    const element = this.elements[block]
    return element.offsetTop + (element.offsetParent === section ? section.offsetTop : 0)
  }

  /** @param {number} top in the sheet @returns {number} the block that is there */
  blockBelow(top) {
    const section = lastWhere(0, this.sections.length - 1, (place) => this.sections[place].offsetTop <= top)
    const first = section * SECTION_BLOCKS
    const last = Math.min(first + SECTION_BLOCKS, this.elements.length) - 1
    // A section that lies apart from the place asked for need not be laid out to answer.
    if (this.sections[section].offsetTop + this.sections[section].offsetHeight <= top) return last
    return lastWhere(first, last, (block) => this.topOf(block) <= top)
  }

  /** @returns {[number, number]} about which stretch of the text is in sight, in UTF-16 units */
  seen() {
    const { scrollTop, clientHeight } = this.scroller
    const at = (top) => {
      const block = this.blockBelow(top)
      const element = this.elements[block]
      const share = Math.min(1, Math.max(0, (top - this.topOf(block)) / (element.offsetHeight || 1)))
      const start = this.document.blocks[block]
      return start + share * (this.document.blockEnd(block) - start)
    }
    return [at(scrollTop), at(scrollTop + clientHeight)]
  }

  /** @param {number} start @param {number} end @returns {boolean} whether a passage's beginning is comfortably in sight */
  inSight(start, end) {
    const box = this.scroller.getBoundingClientRect()
    const first = this.rectAt(start, false)
    const last = this.rectAt(Math.max(start, end - 1), true) ?? first
    if (!first) return false
    const [top, bottom] = [first.top - box.top, last.bottom - box.top]
    return top >= 0 && top < box.height * 0.75 && (bottom <= box.height || top < box.height * 0.3)
  }

  /**
   * Scroll so that an offset is at a share of the height. Sections get their true height only when they
   * come into sight, so the place is corrected in the next frames, and again whenever the text grows
   * or shrinks soon after, unless the person has scrolled since.
   * @param {number} units @param {number} share
   */
  scrollTo(units, share) {
    this.target = { units, share, until: performance.now() + SETTLING }
    this.approach()
  }

  /** Go where the target is now. */
  approach() {
    const { units, share } = this.target
    let left = 4
    const step = () => {
      const box = this.scroller.getBoundingClientRect()
      const rect = this.rectAt(Math.min(units, Math.max(0, this.document.text.length - 1)), false)
      const top = rect ? rect.top : this.elements[this.document.blockAt(units)].getBoundingClientRect().top
      const off = top - box.top - box.height * share
      const before = this.scroller.scrollTop
      if (Math.abs(off) > 1) this.scroller.scrollTop += off
      left -= 1
      if (left > 0 && (Math.abs(off) > 1 && this.scroller.scrollTop !== before || left === 3)) this.pending = requestAnimationFrame(step)
    }
    cancelAnimationFrame(this.pending)
    step()
  }

  /** The text has another height than before. */
  regrown() {
    if (this.target && performance.now() < this.target.until) this.approach()
    else this.target = null
  }

  /** The offset under the pointer. @param {ShadowRoot} root @param {number} x @param {number} y @returns {number | null} */
  unitsUnder(root, x, y) {
    const caret = caretUnder(root, x, y)
    const units = caret ? this.unitsAt(caret.node, caret.offset) : null
    if (units === null) return null
    // A caret stands between characters: choose the one the pointer is on.
    for (const candidate of [units - 1, units]) {
      if (candidate < 0 || candidate >= this.document.text.length) continue
      const rect = this.rectAt(candidate, false)
      if (rect && x >= rect.left && x <= rect.right && y >= rect.top - 4 && y <= rect.bottom + 4) return candidate
    }
    const rect = this.rectAt(Math.min(units, this.document.text.length - 1), false)
    return rect && y >= rect.top - 4 && y <= rect.bottom + 4 ? Math.min(units, this.document.text.length - 1) : null
  }

  /**
   * Where the selection in the blocks begins and ends, in UTF-16 units; null for an end that lies elsewhere.
   * @param {ShadowRoot} root @returns {[number | null, number | null] | null} null where nothing is selected here
   */
  selectedUnits(root) {
    const range = rangeSelected(root)
    if (!range || range.collapsed) return null
    const start = this.unitsAt(range.startContainer, range.startOffset)
    const end = this.unitsAt(range.endContainer, range.endOffset)
    return start === null && end === null ? null : [start, end]
  }

  /** The literal text that is selected in the blocks. @param {ShadowRoot} root @returns {string | null} */
  selectedText(root) {
    const units = this.selectedUnits(root)
    return units && this.document.text.slice(units[0] ?? 0, units[1] ?? this.document.text.length)
  }
}

/** The last place of a range that holds, if all before it do. @param {(place: number) => boolean} holds */
function lastWhere(first, last, holds) {
  let [low, high] = [first, last]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** @param {ShadowRoot} root @returns {StaticRange | Range | null} the selection inside a shadow root */
function rangeSelected(root) {
  const selection = getSelection()
  const composed = selection?.getComposedRanges?.({ shadowRoots: [root] })
  if (composed?.length) return composed[0]
  const own = root.getSelection?.() ?? selection
  return own?.rangeCount ? own.getRangeAt(0) : null
}

/** @param {ShadowRoot} root @param {number} x @param {number} y @returns {{node: Node, offset: number} | null} */
function caretUnder(root, x, y) {
  const position = document.caretPositionFromPoint?.(x, y, { shadowRoots: [root] })
  if (position?.offsetNode && root.contains(position.offsetNode)) return { node: position.offsetNode, offset: position.offset }
  const range = (root.caretRangeFromPoint ?? document.caretRangeFromPoint)?.call(root.caretRangeFromPoint ? root : document, x, y)
  return range && root.contains(range.startContainer) ? { node: range.startContainer, offset: range.startOffset } : null
}

const SKELETON = `
<div class="toolbar" role="toolbar" aria-label="Chunks">
  <div class="group">
    <button type="button" class="previous" aria-label="Previous chunk" title="Previous chunk (p)">‹</button>
    <label class="goto">Chunk <input type="number" min="1" step="1" inputmode="numeric" placeholder="–" aria-label="Go to chunk number"> <span class="total"></span></label>
    <button type="button" class="next" aria-label="Next chunk" title="Next chunk (n)">›</button>
  </div>
  <span class="hint"><kbd>n</kbd> next <kbd>p</kbd> previous <kbd>Home</kbd> <kbd>End</kbd> first, last <kbd>Enter</kbd> details <kbd>Esc</kbd> clear</span>
  <button type="button" class="spaces" aria-pressed="false" title="Show spaces, tabs and line ends">¶ White space</button>
</div>
<div class="legend" hidden></div>
<div class="main">
  <div class="reading">
    <div class="scroller" tabindex="0" role="region">
      <div class="sheet"><div class="blocks"></div><div class="overlay" aria-hidden="true"></div></div>
    </div>
    <canvas class="minimap" aria-hidden="true" title="Click or drag to move through the document"></canvas>
    <p class="blank" hidden></p>
  </div>
  <aside class="detail" tabindex="-1" aria-label="Selected chunk"></aside>
</div>
<section class="table" aria-label="All chunks"></section>
<div class="tooltip" role="tooltip" hidden></div>
<div class="live" aria-live="polite"></div>
`
