/** Characters of a chunk shown before "Show all" is pressed; copying always gives everything. */
const SHOWN_UNITS = 30000

/** The drawer with everything known about the selected chunk. */
class Detail {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element
    this.text = null
  }

  /**
   * @param {DocumentText} text @param {Chunks} chunks @param {number} index or -1 @param {boolean} spaces shown
   * @param {[string, string][]} told what only Python knows about the chunk
   */
  draw(text, chunks, index, spaces, told) {
    if (index < 0) {
      const note = chunks.count ? "Select a chunk to see its exact text, size and place. Click one in the text, or press n." : "Nothing is selected."
      this.element.replaceChildren(made("p", "empty", note))
      return
    }
    const literal = text.text.slice(chunks.starts[index], chunks.ends[index])
    const head = made("div", "detail-head")
    head.append(made("h3", "", `Chunk ${grouped(index + 1)} of ${grouped(chunks.count)}`), copyButton(literal))
    const scroll = this.element.querySelector(".literal")?.dataset.chunk === `${index}:${chunks.fingerprint}`
    const kept = scroll ? this.element.querySelector(".literal").scrollTop : 0
    const body = literalPart(literal, text.code)
    body.dataset.chunk = `${index}:${chunks.fingerprint}`
    this.element.replaceChildren(head, factList([...factsOf(text, chunks, index), ...told.map(([name, value]) => [name, value, true])]), body)
    body.scrollTop = kept
    this.drawSpaces(spaces)
  }

  /** @param {boolean} shown */
  drawSpaces(shown) {
    const passage = this.element.querySelector(".passage")
    if (!passage) return
    passage.querySelector("canvas")?.remove()
    if (shown) passage.append(spaceCanvas(passage, [passage.firstChild]))
  }
}

/** @param {[string, string, boolean?][]} facts name, value and whether it takes both columns @returns {HTMLElement} */
function factList(facts) {
  const list = made("dl", "facts")
  for (const [name, value, wide] of facts) {
    const row = made("div", wide ? "wide" : "")
    row.append(made("dt", "", name), made("dd", "", value))
    list.append(row)
  }
  return list
}

/** Name, value and whether it takes both columns, so that what belongs together stands side by side. @returns {[string, string, boolean?][]} */
function factsOf(text, chunks, index) {
  const start = chunks.pointStarts[index]
  const path = text.headingsAt(start).join(" › ")
  const page = text.pageAt(start)
  const shared = (amount, neighbour) => (amount ? `${counted(amount, "character")} with chunk ${grouped(neighbour + 1)}` : "none")
  return [
    ["Tokens", grouped(chunks.tokens[index])],
    ["Characters", grouped(chunks.size(index))],
    ["Span", chunks.span(index), page === null],
    ...(page === null ? [] : [["Page", grouped(page)]]),
    ["New text begins at", chunks.beginsAt(index)],
    ["Ends at", chunks.endsAt(index)],
    ["Overlap before", shared(chunks.overlapBefore(index), index - 1)],
    ["Overlap after", shared(chunks.overlapBefore(index + 1), index + 1)],
    ...(path ? [["Headings", path, true]] : []),
  ]
}

/** @param {string} literal @param {boolean} code @returns {HTMLElement} */
function literalPart(literal, code) {
  const body = made("div", `literal${code ? " code" : ""}`)
  body.tabIndex = 0
  body.setAttribute("role", "group")
  body.setAttribute("aria-label", "Text of the chunk")
  const passage = made("div", "passage")
  passage.append(document.createTextNode(literal.slice(0, SHOWN_UNITS)))
  body.append(passage)
  if (literal.length > SHOWN_UNITS) {
    const more = made("button", "more", `Show all ${grouped(literal.length)} characters`)
    more.type = "button"
    more.onclick = () => {
      passage.replaceChildren(document.createTextNode(literal))
      more.remove()
    }
    body.append(more)
  }
  return body
}

/** @param {string} literal @returns {HTMLButtonElement} */
function copyButton(literal) {
  const button = made("button", "copy", "Copy text")
  button.type = "button"
  button.onclick = async () => {
    const copied = await copyText(literal, button)
    button.textContent = copied ? "Copied" : "Press Ctrl+C"
    setTimeout(() => (button.textContent = "Copy text"), 1600)
  }
  return button
}

/** Without a secure context there is no clipboard object; then a hidden field is copied. */
async function copyText(literal, near) {
  try {
    await navigator.clipboard.writeText(literal)
    return true
  } catch {
    const field = document.createElement("textarea")
    field.value = literal
    field.style.cssText = "position:fixed;opacity:0"
    near.after(field)
    field.select()
    const copied = document.execCommand("copy")
    field.remove()
    near.focus()
    return copied
  }
}
