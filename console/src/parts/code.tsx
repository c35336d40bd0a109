import { lazy, Suspense } from 'react'
import css from './code.module.css'
import type { EditorProps } from './code-editor.tsx'

const Editor = lazy(() => import('./code-editor.tsx'))

/** Code with its colours, to read or to edit. The editor is loaded when it is first shown. */
export const Code = (props: EditorProps) => (
  <div className={css['code']} data-fills={props.fills || undefined}>
    <Suspense
      fallback={
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <pre className={css['plain']} tabIndex={0}>
          {props.value}
        </pre>
      }
    >
      <Editor {...props} />
    </Suspense>
  </div>
)
