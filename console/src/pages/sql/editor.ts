// The editor's part of the page: the statement at the cursor, and the place of an error.

import { type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap, ViewPlugin } from '@codemirror/view'
import { type Span, statementAt } from './statements.ts'

/** A part of the text that runs. */
export interface Chosen extends Span {
  readonly text: string
  readonly isSelection: boolean
}

/** The editor as the page uses it. */
export interface SqlEditor {
  /** More of CodeMirror for the editor. */
  readonly extension: Extension
  /** The selection, else the statement at the cursor; null: there is nothing to run. */
  chosen(): Chosen | null
  /** Underlines the word at an index; null: nothing. */
  mark(index: number | null): void
}

const setMark = StateEffect.define<Span | null>()

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects }) {
    const effect = effects.find((each) => each.is(setMark))
    if (effect) {
      const span = effect.value
      return span ? Decoration.set(Decoration.mark({ class: 'cm-fault' }).range(span.from, span.to)) : Decoration.none
    }
    // The place of an error means nothing in another text.
    return docChanged ? Decoration.none : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

const look = EditorView.baseTheme({
  '.cm-fault': { textDecoration: 'underline wavy var(--danger) 1.5px', textUnderlineOffset: '3px' },
})

/** Makes the editor's part; `run` is called for Ctrl+Enter. */
export function sqlEditor(run: () => void): SqlEditor {
  let view: EditorView | null = null
  const holder = ViewPlugin.define((created) => {
    view = created
    return {
      destroy() {
        if (view === created) view = null
      },
    }
  })
  const runKey = keymap.of([
    {
      key: 'Mod-Enter',
      run: () => {
        run()
        return true
      },
    },
  ])
  return {
    extension: [holder, marked, look, Prec.highest(runKey)],
    chosen() {
      if (!view) return null
      const { doc, selection } = view.state
      const { from, to, head } = selection.main
      const text = doc.toString()
      if (from < to) return { from, to, text: text.slice(from, to), isSelection: true }
      const span = statementAt(text, head)
      return span && { ...span, text: text.slice(span.from, span.to), isSelection: false }
    },
    mark(index) {
      if (!view) return
      const { doc } = view.state
      if (index === null || index > doc.length) return view.dispatch({ effects: setMark.of(null) })
      const word = /^[\w\u0080-\uffff]+|^[^\s]/.exec(doc.sliceString(index, index + 200))
      const to = Math.min(doc.length, index + (word?.[0].length ?? 1))
      const from = Math.min(index, Math.max(0, to - 1))
      if (from < to) view.dispatch({ effects: [setMark.of({ from, to }), EditorView.scrollIntoView(from)] })
    },
  }
}
