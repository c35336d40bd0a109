import { Circle, Download, Square, X } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../base/clipboard.ts'
import { formatClock, formatMillis, plural } from '../base/format.ts'
import { useStore } from '../base/store.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Mark } from '../parts/mark.tsx'
import { toast } from '../parts/toast.tsx'
import { type CodeForm, codeForms } from '../requests/code.ts'
import {
  type LoggedRequest,
  loggedCode,
  recording,
  requestLog,
  startRecording,
  stopRecording,
} from '../requests/log.ts'
import { isDrawerOpen } from './overlays.ts'
import css from './requests-drawer.module.css'

const indented = (text: string | null): string => {
  try {
    return JSON.stringify(JSON.parse(text ?? ''), null, 2)
  } catch {
    return text ?? ''
  }
}

async function copy(text: string, title: string): Promise<void> {
  await copyText(text)
  toast(title)
}

/** Saves the recorded edits as a file with one `bulk`. */
function saveRecording(): void {
  const bulk = JSON.stringify({ type: 'bulk', args: recording.get() ?? [] }, null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bulk], { type: 'application/json' }))
  link.download = 'recording.json'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Every request of the page: nothing happens behind it. */
export function RequestsDrawer() {
  const isOpen = useStore(isDrawerOpen)
  return isOpen ? <Drawer /> : null
}

function Drawer() {
  const requests = useStore(requestLog)
  const recorded = useStore(recording)
  const [chosen, setChosen] = useState<number | null>(null)
  const shown = requests.find(({ id }) => id === chosen) ?? requests[0]
  return (
    <aside className={css['drawer']} aria-label="Requests">
      <header className={css['head']}>
        <h2>Requests</h2>
        <span className={css['note']}>{plural(requests.length, 'request')}</span>
        <span className={css['space']} />
        {recorded === null ? (
          <Button look="quiet" icon={<Circle aria-hidden />} onClick={startRecording}>
            Record edits
          </Button>
        ) : (
          <>
            <Mark state="bad">recording, {plural(recorded.length, 'edit')}</Mark>
            <Button
              look="quiet"
              icon={<Download aria-hidden />}
              onClick={saveRecording}
              disabled={recorded.length === 0}
            >
              Save as bulk
            </Button>
            <Button look="quiet" icon={<Square aria-hidden />} onClick={stopRecording}>
              Stop
            </Button>
          </>
        )}
        <IconButton label="Close requests" icon={<X aria-hidden />} onClick={() => isDrawerOpen.set(false)} />
      </header>
      <div className={css['content']}>
        <ul className={css['list']} aria-label="Sent requests">
          {requests.map((request) => (
            <li key={request.id}>
              <button
                type="button"
                className={css['entry']}
                aria-pressed={request === shown}
                onClick={() => setChosen(request.id)}
              >
                <StatusMark request={request} />
                <span className={css['name']}>{request.name}</span>
                <span className={css['note']}>{request.millis === null ? '' : formatMillis(request.millis)}</span>
              </button>
            </li>
          ))}
        </ul>
        {shown && <Detail request={shown} />}
      </div>
    </aside>
  )
}

function StatusMark({ request: { status, isEdit } }: { readonly request: LoggedRequest }) {
  if (status === null) return <Mark state="waiting">…</Mark>
  if (status === 0 || status >= 400) return <Mark state="bad">{status === 0 ? '–' : status}</Mark>
  return <Mark state={isEdit ? 'info' : 'good'}>{status}</Mark>
}

const copied: Readonly<Record<CodeForm, string>> = {
  curl: 'Copied as curl; the secret is a variable of the shell',
  fetch: 'Copied as fetch; the secret is a variable of the environment',
  CLI: 'Copied as a command line; the secret is a variable of the shell',
  JSON: 'Copied the body',
}

function CopyAs({ request, form }: { readonly request: LoggedRequest; readonly form: CodeForm }) {
  const text = loggedCode(request, form)
  if (text === null) return null
  return (
    <Button look="quiet" aria-label={`Copy as ${form}`} onClick={() => void copy(text, copied[form])}>
      {form}
    </Button>
  )
}

const Detail = ({ request }: { readonly request: LoggedRequest }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
  <section className={css['detail']} aria-label={`Request ${request.name}`} tabIndex={0}>
    <div className={css['line']}>
      <code>
        {request.method} {request.path}
      </code>
      <span className={css['note']}>
        {formatClock(request.startedAt)}
        {request.requestId && `, request ${request.requestId}`}
      </span>
      <span className={css['space']} />
      <span className={css['forms']} role="group" aria-label="Copy as">
        <span>Copy as</span>
        {codeForms.map((form) => (
          <CopyAs key={form} request={request} form={form} />
        ))}
      </span>
    </div>
    {request.body !== null && <pre className={css['text']}>{indented(request.body)}</pre>}
    <pre className={css['text']}>{request.answer === null ? 'waiting for the answer' : indented(request.answer)}</pre>
  </section>
)
