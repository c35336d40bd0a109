import { type ReactNode, useState } from 'react'
import { type JsonObject, readObject } from '../base/objects.ts'
import { Code } from './code.tsx'
import css from './form-or-json.module.css'
import { Tabs } from './tabs.tsx'

interface FormOrJsonProps {
  /** The name of the choice of views, for screen readers. */
  readonly label: string
  /** The name of the text. */
  readonly textLabel: string
  /** The JSON, which may be no object while a person types. */
  readonly text: string
  /** Absent: the text is only read. */
  onChange?(text: string): void
  /** The form of the object. */
  form(object: JsonObject): ReactNode
}

type View = 'form' | 'json'

/** An object as a form, and as the JSON that is saved. */
export function FormOrJson({ label, textLabel, text, onChange, form }: FormOrJsonProps) {
  const [view, setView] = useState<View>('form')
  const object = readObject(text)
  return (
    <Tabs<View>
      label={label}
      value={view}
      tabs={[
        { value: 'form', label: 'Form' },
        { value: 'json', label: 'JSON' },
      ]}
      onChange={setView}
    >
      <div className={css['content']}>
        {view === 'json' && <Code label={textLabel} language="json" value={text} {...(onChange && { onChange })} />}
        {object === null && <p className={css['fault']}>This is not a JSON object.</p>}
        {view === 'form' && object !== null && form(object)}
      </div>
    </Tabs>
  )
}
