import { useQuery } from '@tanstack/react-query'
import { facts } from '../../base/facts.ts'
import { Mark } from '../../parts/mark.tsx'
import { Section } from '../../parts/page.tsx'
import { metadataQuery, rolesOf, tablesOf } from '../../server/queries.ts'
import { To } from '../../shell/navigation.tsx'
import css from './now.module.css'

/** The first steps of a new server, until they are done. */
export function Checklist() {
  const { data } = useQuery(metadataQuery)
  if (!data) return null
  const tables = tablesOf(data)
  const steps = [
    { title: 'Set an admin secret', isDone: !facts.isOpen, help: 'start the server with --admin-secret' },
    { title: 'Track tables', isDone: tables.length > 0, path: 'data' },
    {
      title: 'Add relationships',
      isDone: tables.some(({ object_relationships: one, array_relationships: many }) => one?.length || many?.length),
      path: 'data',
    },
    { title: 'Give a role permissions', isDone: rolesOf(data).length > 0, path: 'roles' },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  return (
    <Section title="First steps">
      <ul className={css['steps']}>
        {steps.map(({ title, isDone, path, help }) => (
          <li key={title}>
            <Mark state={isDone ? 'good' : 'waiting'}>
              {path !== undefined && !isDone ? <To path={path}>{title}</To> : title}
            </Mark>
            {!isDone && help && <span className={css['more']}> {help}</span>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
