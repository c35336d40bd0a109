// An action on cells with text.

/** @type {import('trellis/console').ConsoleModule} */
export default {
  api: 1,
  mount(host, { value, column }) {
    const words = (value ?? '').split(/\s+/).filter((word) => word !== '')
    host.textContent = `${column.name} has ${words.length} words`
  },
}
