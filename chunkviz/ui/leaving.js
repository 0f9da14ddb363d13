/**
 * Asks before the page is closed or reloaded, as long as this element is on it: the text pasted here
 * is kept nowhere else. The words of the question are the browser's own.
 */
export default function ask() {
  const stay = (event) => event.preventDefault()
  addEventListener("beforeunload", stay)
  return () => removeEventListener("beforeunload", stay)
}
