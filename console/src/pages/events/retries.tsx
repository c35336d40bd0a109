import { Field } from '../../parts/field.tsx'
import { Group } from '../../parts/group.tsx'
import css from './events.module.css'

type Definition = Readonly<Record<string, unknown>>

interface RetriesProps {
  readonly value: Definition
  onChange(value: Definition): void
}

/** Attempts that are drawn. */
const drawnAttempts = 12

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

function span(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.round(seconds / 6) / 10} min`
  return seconds < 86_400 ? `${Math.round(seconds / 360) / 10} h` : `${Math.round(seconds / 8640) / 10} days`
}

/** How often a failed delivery is repeated, drawn as a line of attempts. */
export function Retries({ value, onChange }: RetriesProps) {
  const [retries, interval, timeout] = [
    number(value['num_retries'], 0),
    number(value['interval_sec'], 10),
    number(value['timeout_sec'], 60),
  ]
  const field = (label: string, member: string, shown: number) => (
    <Field
      label={label}
      inputMode="numeric"
      value={String(shown)}
      onChange={({ target }) => {
        if (/^\d{0,9}$/.test(target.value)) onChange({ ...value, [member]: Number(target.value) })
      }}
    />
  )
  const drawn = Math.min(retries, drawnAttempts - 1)
  return (
    <Group isDense legend="Retries">
      <div className={css['columns']}>
        {field('Retries after a failure', 'num_retries', retries)}
        {field('Seconds between attempts', 'interval_sec', interval)}
        {field('Seconds that an answer may take', 'timeout_sec', timeout)}
      </div>
      <ol className={css['attempts']} aria-label="Attempts">
        {Array.from({ length: drawn + 1 }, (_, at) => (
          <li key={at}>{at === 0 ? 'at once' : `+ ${span(at * interval)}`}</li>
        ))}
        {retries > drawn && <li>… + {span(retries * interval)}</li>}
        <li data-end>gives up</li>
      </ol>
    </Group>
  )
}
