// CodeMirror, which is loaded apart from the rest.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers, placeholder as placeholderOf } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { graphql } from 'cm6-graphql'
import { useEffect, useRef } from 'react'
import { nonce } from '../base/facts.ts'

/** The editor of a text. */
export interface EditorProps {
  /** The name for screen readers. */
  readonly label: string
  readonly value: string
  readonly language: 'json' | 'sql' | 'graphql' | 'text'
  /** Absent: the text can only be read. */
  onChange?(value: string): void
  /** Ctrl+Enter. */
  onRun?(value: string): void
  /** Whether it takes all the space of its place. */
  readonly fills?: boolean
  readonly placeholder?: string
  /** Tables with their columns, for completing SQL. */
  readonly names?: SQLNamespace
  /** More of CodeMirror; has to stay the same object between renderings. */
  readonly extensions?: Extension
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--info)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.variableName], color: 'var(--text)' },
  { tag: [tags.typeName], color: 'var(--as-role)' },
  { tag: [tags.invalid], color: 'var(--danger)' },
])

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { font: 'var(--code)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: '0', color: 'var(--muted)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--sunken) 60%, transparent)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--tint)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 24%, transparent)',
  },
})

/** Chromium keeps the look of replaced text in an attribute for styles, which the policy of the page refuses. */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, cancelable } = event
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || data === null || !cancelable || view.composing) return false
    if (empty && view.state.doc.length > 0) return false
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    return true
  },
})

/** Marks a text that the page put in, which is not reported as typed. */
const fromOutside = Annotation.define<boolean>()

const languageOf = ({ language, names }: EditorProps): Extension => {
  if (language === 'json') return json()
  if (language === 'sql') return sql({ dialect: PostgreSQL, upperCaseKeywords: true, ...(names && { schema: names }) })
  return language === 'graphql' ? graphql() : []
}

export default function CodeEditor(props: EditorProps) {
  const { label, value, fills = false, placeholder, extensions } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  const language = useRef(new Compartment())
  const isReadOnly = props.onChange === undefined
  // Other properties are read through `latest`.
  useEffect(() => {
    const editor = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          ...(nonce === '' ? [] : [EditorView.cspNonce.of(nonce)]),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: ({ state }) => {
                latest.current.onRun?.(state.doc.toString())
                return latest.current.onRun !== undefined
              },
            },
          ]),
          ...[
            lineNumbers(),
            history(),
            bracketMatching(),
            closeBrackets(),
            autocompletion({ icons: false }),
            indentOnInput(),
          ],
          typingOverSelection,
          ...[highlightSelectionMatches(), syntaxHighlighting(colours), theme, EditorView.lineWrapping],
          ...(isReadOnly ? [EditorState.readOnly.of(true)] : [highlightActiveLine()]),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap]),
          // Tab moves the focus unless a part of the text is selected, so that the keyboard is never caught.
          keymap.of(
            isReadOnly
              ? []
              : [
                  {
                    ...indentWithTab,
                    run: (target) => !target.state.selection.main.empty && indentWithTab.run!(target),
                    shift: (target) => !target.state.selection.main.empty && indentWithTab.shift!(target),
                  },
                ],
          ),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            const isTyped = update.docChanged && !update.transactions.some((each) => each.annotation(fromOutside))
            if (isTyped) latest.current.onChange?.(update.state.doc.toString())
          }),
          ...(placeholder === undefined ? [] : [placeholderOf(placeholder)]),
          language.current.of(languageOf(latest.current)),
          extensions ?? [],
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, isReadOnly, placeholder, extensions])
  useEffect(() => {
    const editor = view.current
    if (editor && editor.state.doc.toString() !== value) {
      const changes = { from: 0, to: editor.state.doc.length, insert: value }
      editor.dispatch({ changes, annotations: fromOutside.of(true) })
    }
  }, [value])
  // The language depends on these two.
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(languageOf(latest.current)) })
  }, [props.language, props.names])
  return <div ref={host} style={fills ? { flex: 1, minHeight: 0 } : { maxHeight: 480, overflow: 'auto' }} />
}
