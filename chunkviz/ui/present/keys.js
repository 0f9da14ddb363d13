/**
 * The arrow keys move between the steps, wherever the focus is, except where they mean something else
 * already: in a field, on a slider, in the document.
 */
const TAKEN = "input, textarea, select, [role=slider], [role=radio], [role=grid], .scroller, .plot, [contenteditable=true]"
const MOVES = { ArrowRight: "forward", PageDown: "forward", ArrowLeft: "back", PageUp: "back" }

export default function keys({ parentElement, setTriggerValue }) {
  const press = (event) => {
    const move = MOVES[event.key]
    const taken = event.composedPath().some((each) => each.matches?.(TAKEN))
    if (!move || taken || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    setTriggerValue(move, true)
  }
  addEventListener("keydown", press)
  const element = parentElement.host ?? parentElement
  element.dataset.listens = "arrows"
  return () => removeEventListener("keydown", press)
}
