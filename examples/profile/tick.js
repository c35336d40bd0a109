// Cells of type bool: a sign for the eye, the word for screen readers.

/** @type {import('trellis/console').ConsoleModule} */
export default {
  api: 1,
  mount(host, { value }) {
    host.role = 'img'
    host.ariaLabel = value
    host.textContent = value === 'true' ? '✓' : '✗'
  },
}
