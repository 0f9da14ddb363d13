/**
 * Hands a message to the viewer it names. Small on purpose: a component's script travels with its
 * element, and this element changes at each slider step.
 */
export default function relay({ data }) {
  if (!(data instanceof Uint8Array) || data.length < 4) return
  const size = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true)
  const head = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + size)))
  const viewers = (globalThis.chunkvizViewers ??= new Map())
  if (!viewers.has(head.viewer)) viewers.set(head.viewer, { inbox: new Map(), stage: null })
  const viewer = viewers.get(head.viewer)
  viewer.inbox.set(head.kind, { head, body: data.subarray(4 + size) })
  viewer.stage?.receive(head.kind)
}
