// Developer routes that show the running live queries.

import type { Route } from '../../sdk/http.ts'
import { Type } from '../../sdk/index.ts'
import type { ParamSource } from '../../sdk/sql.ts'
import type { Group } from './live/groups/group.ts'
import type { LiveQueries } from './live/live-queries.ts'
import { type LiveOptions, reported } from './options.ts'

const Value = Type.Union([Type.String(), Type.Null()])

const Cohort = Type.Object({
  variables: Type.Object({
    session: Type.Record(Type.String(), Type.String()),
    query: Type.Record(Type.String(), Value),
    synthetic: Type.Array(Value),
  }),
  cohort: Type.Object({
    resp_id: Type.String(),
    current_ops: Type.Array(Type.Integer()),
    new_ops: Type.Array(Type.Integer()),
    previous_result_hash: Type.Union([Type.String(), Type.Null()]),
  }),
})

const Report = Type.Object({
  options: Type.Object({ batch_size: Type.Integer(), refetch_delay: Type.Number() }),
  live_queries_map: Type.Array(
    Type.Object({
      role: Type.String(),
      thread_id: Type.Null(),
      poller_id: Type.String(),
      multiplexed_query: Type.String(),
      cohorts: Type.Union([Type.Array(Cohort), Type.Null()]),
    }),
  ),
})

/** The groups of live queries, without and with their cohorts; administrators only. */
export const developerRoutes = (live: LiveQueries, options: LiveOptions): readonly Route[] =>
  [false, true].map((isExtended) => ({
    method: 'GET',
    url: isExtended ? '/dev/subscriptions/extended' : '/dev/subscriptions',
    api: 'developer',
    auth: 'admin',
    about: { summary: `Lists the running live queries${isExtended ? ' with their values' : ''}.`, result: Report },
    handle: () => ({
      options: reported(options),
      live_queries_map: live.groups.map((group) => describe(group, isExtended)),
    }),
  }))

const describe = (group: Group, isExtended: boolean) => ({
  role: group.options.role,
  thread_id: null,
  poller_id: group.id,
  multiplexed_query: group.statement.text,
  cohorts: isExtended ? cohortsOf(group) : null,
})

const cohortsOf = ({ cohorts, options: { prepared } }: Group) =>
  [...cohorts.values()].map(({ id, values, members, digest }) => {
    const all = [...members]
    const [served, fresh] = [all.filter(({ sent }) => sent !== null), all.filter(({ sent }) => sent === null)]
    return {
      variables: namedValues(prepared.batch!.memberParams, JSON.parse(values)),
      cohort: {
        resp_id: id,
        current_ops: served.map((member) => member.id),
        new_ops: fresh.map((member) => member.id),
        previous_result_hash: digest,
      },
    }
  })

/** Values by source: the session, request variables, and `synthetic` for all others. */
function namedValues(sources: readonly ParamSource[], values: readonly (string | null)[]) {
  const session = new Map<string, string>()
  const query = new Map<string, string | null>()
  const synthetic: (string | null)[] = []
  for (const [i, source] of sources.entries()) {
    const value = values[i]!
    if (source.from === 'session') session.set(source.variable, value!)
    else if (source.from === 'session-object') {
      for (const [name, text] of Object.entries<string>(JSON.parse(value!))) session.set(name, text)
    } else if (isVariable(source)) query.set(source.input.name, value)
    else synthetic.push(value)
  }
  return { session: Object.fromEntries(session), query: Object.fromEntries(query), synthetic }
}

type WholeVariable = Extract<ParamSource, { from: 'input' }> & { readonly input: { readonly kind: 'variable' } }

const isVariable = (source: ParamSource): source is WholeVariable =>
  source.from === 'input' && source.input.kind === 'variable' && source.input.path.length === 0
