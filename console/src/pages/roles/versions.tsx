import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { formatTime, plural } from '../../base/format.ts'
import { PartChanges } from '../../parts/change-view.tsx'
import { Select } from '../../parts/field.tsx'
import { Body, Section, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { historyQuery, sentenceOf, type Version } from '../../server/history.ts'
import { mergedPatches, type PartChange } from '../../server/metadata-patch.ts'
import { type Metadata, rolesOf, useCanTry } from '../../server/queries.ts'
import { simulate } from '../../server/simulate.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './roles.module.css'
import { SchemaDifferencesView } from './schema-differences.tsx'

/** Whether a change is about permissions of roles. */
const isRule = ({ part, member = '' }: PartChange): boolean =>
  member.endsWith('_permissions') || /role|permission|allowlist/.test(part)

/** Two versions of the metadata: the rules and other parts that differ, and the GraphQL schema of a role. */
export function Versions({ metadata }: { readonly metadata: Metadata }) {
  const query = historyQuery()
  const history = useInfiniteQuery(query)
  const [from, setFrom] = useUrlState('from')
  const [to, setTo] = useUrlState('to')
  const [role, setRole] = useUrlState('role')
  if (history.isPending) return <Loading label="Reading the history" queryKey={query.queryKey} />
  if (!history.data) return <Failed error={history.error} onRetry={() => void history.refetch()} />
  const versions = history.data.pages.flatMap((page) => page.versions)
  const [newest] = versions
  if (!newest) return <Empty title="Nothing has changed yet">Versions appear here once the metadata is edited.</Empty>
  const label = (each: Version) => `${each.version}: ${sentenceOf(each).slice(0, 60).trimEnd()}, ${formatTime(each.at)}`
  const first = versions.find(({ version }) => String(version) === from) ?? newest
  const last = versions.find(({ version }) => String(version) === to) ?? newest
  const between = versions.filter(({ version }) => version >= first.version && version <= last.version)
  return (
    <>
      <Toolbar label="Versions">
        <div className={css['wide']}>
          <Select<string>
            label="Before"
            value={String(first.version)}
            options={versions.map((each) => ({ value: String(each.version), label: label(each) }))}
            onChange={setFrom}
          />
        </div>
        <div className={css['wide']}>
          <Select<string>
            label="And after"
            value={String(last.version)}
            options={versions.map((each) => ({ value: String(each.version), label: label(each) }))}
            onChange={setTo}
          />
        </div>
        <div className={css['choice']}>
          <Select<string>
            label="GraphQL schema of"
            value={role === '' ? 'admin' : role}
            options={['admin', ...rolesOf(metadata)].map((name) => ({ value: name, label: name }))}
            onChange={setRole}
          />
        </div>
      </Toolbar>
      {first.version > last.version ? (
        <Empty title="The first version is the later one">Choose an earlier one to begin with.</Empty>
      ) : (
        <Body>
          <Parts versions={between} />
          <Schemas
            later={versions.filter(({ version }) => version > last.version)}
            versions={between}
            role={role === '' ? 'admin' : role}
          />
        </Body>
      )}
    </>
  )
}

/** The parts that differ: rules first. */
function Parts({ versions }: { readonly versions: readonly Version[] }) {
  const lost = versions.filter(({ patch }) => patch === null)
  const isKnown = lost.length < versions.length
  const patches = versions.toReversed().map(({ patch }) => patch ?? [])
  const changes = mergedPatches(patches)
  const rules = changes.filter(isRule)
  const others = changes.filter((change) => !isRule(change))
  return (
    <>
      {lost.length > 0 && (
        <p className={css['note']}>
          {plural(lost.length, 'version')} had changes too large to be kept, which are missing here.
        </p>
      )}
      {isKnown && (
        <Section title={`${plural(rules.length, 'rule')} ${rules.length === 1 ? 'differs' : 'differ'}`}>
          <PartChanges label="Rules that differ" changes={rules} />
        </Section>
      )}
      {others.length > 0 && (
        <Section title={`${plural(others.length, 'other part')} ${others.length === 1 ? 'differs' : 'differ'}`}>
          <PartChanges label="Other parts that differ" changes={others} />
        </Section>
      )}
    </>
  )
}

interface SchemasProps {
  /** Those after the last one of `versions`. */
  readonly later: readonly Version[]
  readonly versions: readonly Version[]
  readonly role: string
}

const reverts = (versions: readonly Version[]) =>
  versions.map(({ version }) => ({ type: 'revert_metadata', args: { version } }))

/** The schemas before and after the versions: the server reverts all since, compares, and takes it back. */
function Schemas({ later, versions, role }: SchemasProps) {
  const canTry = useCanTry()
  const key = ['simulation', 'versions', [...later, ...versions].map(({ version }) => version), later.length, role]
  const tried = useQuery({
    ...{ queryKey: key, retry: false, enabled: canTry, gcTime: 60_000 },
    queryFn: ({ signal }) => simulate({ given: reverts(later), changes: reverts(versions), roles: [role], signal }),
  })
  if (!canTry) return null
  if (tried.isPending) return <Loading label="Comparing the schemas" queryKey={key} />
  if (tried.isError) return <Failed error={tried.error} onRetry={() => void tried.refetch()} />
  const [found] = tried.data.schemas
  if (!found) return null
  // The simulation begins with the later state.
  const { only_a, only_b, differing, more } = found
  const turned = {
    only_a: only_b,
    only_b: only_a,
    differing: differing.map(({ path, a, b }) => ({ path, a: b, b: a })),
  }
  return <SchemaDifferencesView a="before" b="after" differences={{ ...turned, more }} />
}
