import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useStore } from '../../../../base/store.ts'
import { IconButton } from '../../../../parts/button.tsx'
import { Failed, Loading } from '../../../../parts/states.tsx'
import { type Identity, identity } from '../../../../requests/identity.ts'
import { type TableName, tableLabel } from '../../../../server/names.ts'
import { entryOf, metadataQuery } from '../../../../server/queries.ts'
import { type Cells, cellsOf, labelOf } from '../../labels.ts'
import { type TableInfo, tableInfoQuery } from '../../table-info.ts'
import { typesOf } from '../../types.ts'
import { keyCondition } from '../save.ts'
import { LinkRows } from './link-rows.tsx'
import { type Link, linksOf } from './links.ts'
import { pathText, type RelatedPath, type Step } from './path.ts'
import { conditionOf, rowQuery } from './reads.ts'
import { Record } from './record.tsx'
import css from './related.module.css'

interface PaneProps {
  readonly info: TableInfo
  readonly path: RelatedPath
  /** Goes to another row of the way. */
  onPath(path: RelatedPath): void
  onClose(): void
}

interface Crumb {
  readonly title: string
  readonly path: RelatedPath
}

/** The part that all levels of the way share. */
interface Way extends Omit<PaneProps, 'info' | 'path'> {
  readonly as: Identity
}

const keyOf = (names: readonly string[] | null, key: readonly string[]) =>
  Object.fromEntries((names ?? []).map((name, index) => [name, key[index] ?? null]))

/** A row beside the grid, with the rows that it is related to, and those of them in turn. */
export function RelatedPane({ info, path, onPath, onClose }: PaneProps) {
  const as = useStore(identity)
  const pane = useRef<HTMLElement>(null)
  const way = pathText(path)
  // The button that led to a row goes with the row before.
  useEffect(() => pane.current?.focus({ preventScroll: true }), [way])
  const back = () => (path.steps.length === 0 ? onClose() : onPath(before(path)))
  const follow = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.altKey && event.key === 'ArrowLeft') back()
    else if (event.altKey && event.key === 'ArrowRight') {
      const focused = document.activeElement
      const first = pane.current?.querySelector<HTMLElement>('[data-link]')
      if (focused instanceof HTMLElement && focused.matches('[data-link]')) focused.click()
      else first?.focus()
    } else if (event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const links = [...(pane.current?.querySelectorAll<HTMLElement>('[data-link]') ?? [])]
      const step = event.key === 'ArrowDown' ? 1 : -1
      const at = links.indexOf(document.activeElement as HTMLElement)
      links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const where = keyCondition(keyOf(info.primary_key, path.key), typesOf(info))
  return (
    <aside ref={pane} tabIndex={-1} className={css['pane']} aria-label="Related rows" onKeyDown={follow}>
      <RowLevel
        {...{ table: info.name, where, crumbs: [] }}
        at={{ key: path.key, steps: [] }}
        rest={path.steps}
        way={{ as, onPath, onClose }}
      />
    </aside>
  )
}

/** The way without its last row. */
const before = ({ key, steps }: RelatedPath): RelatedPath => ({ key, steps: steps.slice(0, -1) })

interface LevelProps {
  readonly table: TableName
  readonly where: object
  readonly crumbs: readonly Crumb[]
  /** The way up to this level. */
  readonly at: RelatedPath
  /** The way from here. */
  readonly rest: readonly Step[]
  readonly way: Way
}

/** One row of the way: it is shown where the way ends, else it leads on. */
function RowLevel({ table, where, crumbs, at, rest, way }: LevelProps) {
  const info = useQuery(tableInfoQuery(table))
  const metadata = useQuery(metadataQuery)
  const asked = rowQuery({ table, where, as: way.as })
  const row = useQuery(asked)
  const failed = [info, metadata, row].find(({ isError }) => isError)
  if (failed) {
    return (
      <Frame {...{ crumbs, way }} title={tableLabel(table)}>
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      </Frame>
    )
  }
  if (!info.data || !metadata.data || !row.data) {
    return (
      <Frame {...{ crumbs, way }} title={tableLabel(table)}>
        <Loading label="Reading the row" queryKey={asked.queryKey} />
      </Frame>
    )
  }
  const [cells] = cellsOf(row.data)
  const title = cells ? `${tableLabel(table)} ${labelOf(row.data, cells)}` : tableLabel(table)
  const links = linksOf(entryOf(metadata.data, table), info.data)
  const [step, ...others] = rest
  const link = links.find(({ id }) => id === step?.link)
  const goTo = (to: Link, key: readonly string[] | null) =>
    way.onPath({ ...at, steps: [...at.steps, { link: to.id, key }] })
  if (cells && step && link) {
    const next = { step, others, cells, link, info: info.data, crumbs: [...crumbs, { title, path: at }], at, way }
    return <StepLevel {...next} />
  }
  return (
    <Frame {...{ crumbs, way, title }}>
      {cells ? (
        <Record {...{ row: row.data, cells, info: info.data, links, as: way.as }} onGo={goTo} />
      ) : (
        <p className={css['note']}>
          {way.as.role === null
            ? 'This row does not exist any more.'
            : `The role ${way.as.role} does not get this row.`}
        </p>
      )}
    </Frame>
  )
}

interface StepProps extends Pick<LevelProps, 'crumbs' | 'at' | 'way'> {
  readonly step: Step
  readonly others: readonly Step[]
  readonly cells: Cells
  readonly link: Link
  readonly info: TableInfo
}

/** A step from a row: the only row of a link, a chosen one, or all of them. */
function StepLevel({ step, others, cells, link, info, crumbs, at, way }: StepProps) {
  const target = useQuery(tableInfoQuery(link.to))
  const joined = conditionOf(link, cells, typesOf(info))
  const here = { ...at, steps: [...at.steps, step] }
  const title = link.title
  if (target.isError || !target.data || joined === null) {
    return (
      <Frame {...{ crumbs, way, title }}>
        {target.isError && <Failed error={target.error} onRetry={() => void target.refetch()} />}
        {target.isPending && <Loading label="Reading the table" />}
        {joined === null && <p className={css['note']}>The column is NULL, which leads to no row.</p>}
      </Frame>
    )
  }
  if (link.kind === 'many' && step.key === null) {
    const chosen = (key: readonly string[]) => way.onPath({ ...at, steps: [...at.steps, { ...step, key }] })
    return (
      <Frame {...{ crumbs, way, title }}>
        <LinkRows {...{ link, cells, where: joined, as: way.as }} onChoose={chosen} />
      </Frame>
    )
  }
  const chosen = step.key && keyCondition(keyOf(target.data.primary_key, step.key), typesOf(target.data))
  const list = { title, path: { ...at, steps: [...at.steps, { ...step, key: null }] } }
  return (
    <RowLevel
      {...{ table: link.to, way, at: here, rest: others }}
      where={chosen ? { _and: [joined, chosen] } : joined}
      crumbs={link.kind === 'many' ? [...crumbs, list] : crumbs}
    />
  )
}

interface FrameProps extends Pick<LevelProps, 'crumbs' | 'way'> {
  readonly title: string
  readonly children: React.ReactNode
}

/** The pane around a level: the way to it, and its title. */
function Frame({ crumbs, way, title, children }: FrameProps) {
  const last = crumbs.at(-1)
  return (
    <>
      <header className={css['head']}>
        <IconButton
          icon={<ArrowLeft aria-hidden />}
          label={last ? `Back to ${last.title}` : 'Back to the grid'}
          onClick={() => (last ? way.onPath(last.path) : way.onClose())}
        />
        <div className={css['words']}>
          {crumbs.length > 0 && (
            <nav aria-label="The way here">
              <ol className={css['crumbs']}>
                {crumbs.map(({ title: text, path }, index) => (
                  <li key={index}>
                    <button type="button" className={css['crumb']} onClick={() => way.onPath(path)}>
                      {text}
                    </button>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h2 className={css['title']}>{title}</h2>
        </div>
        <IconButton icon={<X aria-hidden />} label="Close related rows" onClick={way.onClose} />
      </header>
      {children}
    </>
  )
}
