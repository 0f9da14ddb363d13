/** What is drawn in each element. @type {WeakMap<object, object>} */
const STAGES = new WeakMap()

/**
 * Draw what a component shows, again at each change of data or theme. Its own message comes with it; the others come
 * by the relay, and wait in the inbox for whichever of the two is later.
 * @param {object} component
 * @param {(element: HTMLElement) => object} make a stage for an element that has none yet
 * @param {string[]} kinds the messages that a stage receives, the component's own first
 * @returns {(() => void)|undefined} what takes it away again
 */
function mountStage(component, make, kinds) {
  const { data, parentElement } = component
  if (!(data instanceof Uint8Array)) return undefined
  const size = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true)
  const head = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size)))
  const shared = (globalThis.chunkvizViewers ??= new Map())
  if (!shared.has(head.viewer)) shared.set(head.viewer, { inbox: new Map(), stage: null })
  const entry = shared.get(head.viewer)
  const stage = STAGES.get(parentElement) ?? make(parentElement)
  STAGES.set(parentElement, stage)
  entry.stage = stage
  stage.inbox = entry.inbox
  stage.update(component, head)
  if (stage.source !== data) {
    stage.source = data
    entry.inbox.set(kinds[0], { head, body: data.subarray(4 + size) })
  }
  for (const kind of kinds) stage.receive(kind)
  return () => {
    stage.dispose()
    STAGES.delete(parentElement)
    if (entry.stage !== stage) return
    entry.stage = null
    // What the relay brought stays: should this part alone come back, nobody would send it again.
    entry.inbox.delete(kinds[0])
  }
}
