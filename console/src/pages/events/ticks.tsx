import { useQuery } from '@tanstack/react-query'
import { Failed, Loading } from '../../parts/states.tsx'
import { run } from '../../server/operations.ts'
import css from './events.module.css'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

const formatIn = (zone: string): Intl.DateTimeFormat => {
  const parts = { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
  return new Intl.DateTimeFormat('en', { ...parts, hourCycle: 'h23', timeZone: zone, timeZoneName: 'shortOffset' })
}

/** The offset of a zone at a time, as `GMT+1`. */
const offsetOf = (format: Intl.DateTimeFormat, time: Date): string =>
  format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** The next ten ticks of a schedule, in its zone and in the one of the browser; changes of the clock are marked. */
export function Ticks({ schedule, zone }: { readonly schedule: string; readonly zone: string }) {
  const key = ['cron-ticks', schedule, zone]
  const ticks = useQuery({
    queryKey: key,
    staleTime: 0,
    queryFn: ({ signal }) =>
      run<{ ticks: readonly string[] }>('get_cron_ticks', { schedule, timezone: zone, count: 10 }, { signal }),
  })
  if (ticks.isPending) return <Loading label="Reading the next ticks" queryKey={key} />
  if (!ticks.data) return <Failed error={ticks.error} />
  const own = formatIn(zone)
  const local = formatIn(here)
  const times = ticks.data.ticks.map((tick) => new Date(tick))
  return (
    <section>
      <h3 className={css['heading']}>Next ticks</h3>
      <table className={css['plain']}>
        <thead>
          <tr>
            <th>{zone}</th>
            {here !== zone && <th>{here}, here</th>}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => {
            const before = times[index - 1]
            const isChange = before !== undefined && offsetOf(own, before) !== offsetOf(own, time)
            return (
              <tr key={time.getTime()}>
                <td>
                  {own.format(time)}
                  {isChange && <strong> clocks have changed</strong>}
                </td>
                {here !== zone && <td>{local.format(time)}</td>}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
