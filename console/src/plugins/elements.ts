// The custom elements of modules: they look like the console's own parts. Their names and attributes are part of the contract.

let sheet: CSSStyleSheet | null = null

const sheetOf = (text: string): CSSStyleSheet => {
  const made = new CSSStyleSheet()
  made.replaceSync(text)
  return made
}

/** The styles of a part's root: the tokens come from the page around it. */
export const baseSheet = (): CSSStyleSheet => {
  sheet ??= sheetOf(`
    :host { color: var(--text); font: var(--interface); }
    *, *::before, *::after { box-sizing: border-box; }
    h1, h2, h3, p, pre, ul, ol { margin: 0; padding: 0; }
    h2 { font: var(--section); }
    a { color: var(--accent); text-underline-offset: 2px; }
    code, pre { font: var(--code); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  `)
  return sheet
}

const controls = `
  button, input, textarea {
    background: var(--surface); border: 1px solid var(--edge); border-radius: var(--radius); color: var(--text);
    font: var(--interface); min-height: var(--control); padding: 0 12px;
  }
  button { cursor: pointer; }
  button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.danger { border-color: var(--danger); color: var(--danger); }
  button:disabled { background: var(--sunken); border-color: var(--line); color: var(--muted); cursor: default; }
  label { color: var(--muted); display: block; font: var(--label); margin-bottom: 4px; }
  input, textarea { padding: 0 8px; width: 100%; }
  textarea { font: var(--code); padding: 8px; min-height: 120px; }
  .error { color: var(--danger); font: var(--label); margin-top: 4px; }
`

/** An element with its own root, which is drawn again when an attribute changes. */
abstract class Part extends HTMLElement {
  protected readonly root = this.attachShadow({ mode: 'open', delegatesFocus: true })

  constructor() {
    super()
    this.root.adoptedStyleSheets = [baseSheet(), sheetOf(controls + this.styles)]
  }

  protected get styles(): string {
    return ''
  }

  connectedCallback(): void {
    this.draw()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.draw()
  }

  protected abstract draw(): void
}

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** `<trellis-button look="main" disabled>`; its content is a verb with its object. */
class ButtonElement extends Part {
  static observedAttributes = ['look', 'disabled']

  protected draw(): void {
    const button = element('button', {
      ...{ type: 'button', className: this.getAttribute('look') ?? '', disabled: this.hasAttribute('disabled') },
    })
    button.append(document.createElement('slot'))
    this.root.replaceChildren(button)
  }
}

/** `<trellis-field label="Name" value="…" error="…">`: fires `input`; its text is the property `value`. */
class FieldElement extends Part {
  static observedAttributes = ['label', 'error', 'placeholder']
  #input = element('input', { id: 'input', autocomplete: 'off', spellcheck: false })

  get value(): string {
    return this.#input.value
  }

  set value(text: string) {
    this.#input.value = text
  }

  override connectedCallback(): void {
    this.#input.value ||= this.getAttribute('value') ?? ''
    super.connectedCallback()
  }

  protected draw(): void {
    const error = this.getAttribute('error')
    this.#input.placeholder = this.getAttribute('placeholder') ?? ''
    this.#input.ariaInvalid = error === null ? null : 'true'
    const label = element('label', { htmlFor: 'input' }, this.getAttribute('label') ?? '')
    const about = error === null ? [] : [element('div', { className: 'error' }, error)]
    this.root.replaceChildren(label, this.#input, ...about)
  }
}

/** `<trellis-table label="Notes">`: the property `columns` has names, `rows` objects with texts by these names. */
class TableElement extends Part {
  static observedAttributes = ['label']
  #columns: readonly string[] = []
  #rows: readonly Readonly<Record<string, unknown>>[] = []

  protected override get styles(): string {
    return `
      div { overflow: auto; }
      table { border-collapse: collapse; min-width: 100%; }
      th, td { border-bottom: 1px solid var(--line); height: 32px; padding: 0 12px; text-align: left; white-space: nowrap; }
      th { color: var(--muted); font: var(--label); font-weight: 600; }
    `
  }

  set columns(names: readonly string[]) {
    this.#columns = names
    this.attributeChangedCallback()
  }

  set rows(rows: readonly Readonly<Record<string, unknown>>[]) {
    this.#rows = rows
    this.attributeChangedCallback()
  }

  protected draw(): void {
    const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    const head = element('tr', {}, ...this.#columns.map((name) => element('th', { scope: 'col' }, name)))
    const body = this.#rows.map((row) =>
      element('tr', {}, ...this.#columns.map((name) => element('td', {}, text(row[name])))),
    )
    const label = this.getAttribute('label')
    const table = element('table', { ariaLabel: label }, element('thead', {}, head), element('tbody', {}, ...body))
    this.root.replaceChildren(element('div', { tabIndex: 0, role: 'region', ariaLabel: `${label}, scrolls` }, table))
  }
}

/** `<trellis-code label="Rule" editable>`: its text is the property `value`; fires `input`. */
class CodeElement extends Part {
  static observedAttributes = ['label', 'editable']
  #area = element('textarea', { id: 'area', spellcheck: false })

  get value(): string {
    return this.#area.value
  }

  set value(text: string) {
    this.#area.value = text
  }

  protected draw(): void {
    this.#area.readOnly = !this.hasAttribute('editable')
    const label = element('label', { htmlFor: 'area' }, this.getAttribute('label') ?? '')
    this.root.replaceChildren(label, this.#area)
  }
}

/** `<trellis-dialog label="…">`: `show()` opens it over the page, `close()` and Escape close it; fires `close`. */
class DialogElement extends Part {
  static observedAttributes = ['label']
  #dialog = element('dialog')

  protected override get styles(): string {
    return `
      dialog {
        background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-overlay); color: var(--text);
        max-width: min(640px, calc(100vw - 32px)); padding: 16px;
      }
      dialog::backdrop { background: var(--veil); }
    `
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#dialog.addEventListener('close', () => this.dispatchEvent(new Event('close')))
  }

  show(): void {
    this.#dialog.showModal()
  }

  close(): void {
    this.#dialog.close()
  }

  protected draw(): void {
    const label = this.getAttribute('label') ?? ''
    this.#dialog.ariaLabel = label
    this.#dialog.replaceChildren(element('h2', {}, label), document.createElement('slot'))
    if (!this.#dialog.isConnected) this.root.replaceChildren(this.#dialog)
  }
}

/** Defines the elements, once. */
export function defineElements(): void {
  if (customElements.get('trellis-button')) return
  const all = {
    button: ButtonElement,
    field: FieldElement,
    table: TableElement,
    code: CodeElement,
    dialog: DialogElement,
  }
  for (const [name, made] of Object.entries(all)) customElements.define(`trellis-${name}`, made)
}
