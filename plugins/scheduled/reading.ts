// Operations that read and delete scheduled events.

import { badRequest, compareText, parseFailed, type Static, Type } from '../../sdk/index.ts'
import { decode, NoArguments, type OperationContext, operation } from '../../sdk/metadata.ts'
import { readPage } from '../../sdk/services.ts'
import { requireCronTrigger } from './metadata.ts'
import { inFull } from './schema.ts'

const statuses = ['scheduled', 'locked', 'delivered', 'error', 'dead']

const readStatus = (status: string): string => {
  if (statuses.includes(status)) return status
  throw parseFailed(`unexpected status: ${status}`)
}

const Status = Type.String({ convert: readStatus, shown: Type.Union(statuses.map((each) => Type.Literal(each))) })

const EventKind = Type.Union([Type.Literal('one_off'), Type.Literal('cron')])

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 0 })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
}

const NeedsTrigger = Type.Object({ trigger_name: Type.String() }, { missingKey: 'A' })

interface OfTrigger {
  type: 'one_off' | 'cron'
  trigger_name?: string
  event_id?: string
}

/** Cron events are read for one trigger. */
function requireTrigger<T extends OfTrigger>(given: T): T {
  if (given.type === 'cron' && given.event_id === undefined) decode(NeedsTrigger, given)
  return given
}

const EventsArgs = Type.Object(
  {
    type: EventKind,
    trigger_name: Type.Optional(Type.String()),
    status: Type.Optional(Type.Array(Status)),
    get_rows_count: Type.Optional(Type.Boolean()),
    ...page,
  },
  { missingKey: 'A', convert: requireTrigger },
)

const InvocationsArgs = Type.Object(
  {
    type: EventKind,
    trigger_name: Type.Optional(Type.String()),
    event_id: Type.Optional(Type.String()),
    get_rows_count: Type.Optional(Type.Boolean()),
    ...page,
  },
  { missingKey: 'A', convert: requireTrigger },
)

const DeleteArgs = Type.Object({ type: EventKind, event_id: Type.String() }, { missingKey: 'A' })

/** The tables of a kind of event, and its own columns. */
const tables = {
  cron: { events: 'hdb_cron_events', logs: 'hdb_cron_event_invocation_logs', own: 'trigger_name' },
  one_off: {
    events: 'hdb_scheduled_events',
    logs: 'hdb_scheduled_event_invocation_logs',
    own: 'webhook_conf, retry_conf, payload, header_conf, comment',
  },
} as const

const state = 'id, scheduled_time, status, tries, created_at, next_retry_at'

export const getCronTriggers = operation({
  type: 'get_cron_triggers',
  about: {
    summary: 'Lists all cron triggers, those outside documents included.',
    result: Type.Object({ cron_triggers: Type.Array(Type.Unknown()) }),
  },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  handle: ({ metadata, interface: interfaceName }) => ({
    cron_triggers: [...metadata.cron_triggers]
      .sort((a, b) => compareText(a.name, b.name))
      .map((trigger) => inFull(trigger, interfaceName)),
  }),
})

export const getScheduledEvents = operation({
  type: 'get_scheduled_events',
  about: {
    summary: 'Lists one-off events, or those of a cron trigger, by their due times.',
    result: Type.Object({ events: Type.Array(Type.Unknown()), count: Type.Optional(Type.Integer()) }),
  },
  args: EventsArgs,
  access: 'any',
  editsMetadata: false,
  async handle(context, args) {
    const { type, trigger_name = null, status = [] } = args
    const { events, own } = tables[type]
    checkTrigger(context, args)
    const of = type === 'cron' ? 'trigger_name = $2' : '$2::text is null'
    return readEvents(context, {
      key: 'events',
      from: `select ${state}, ${own} from trellis.${events} where status = any($1) and ${of}`,
      order: 'scheduled_time, id',
      values: [status.length === 0 ? statuses : status, type === 'cron' ? trigger_name : null],
      page: args,
    })
  },
})

const getInvocations = (type: string) =>
  operation({
    type,
    about: {
      summary: 'Lists the attempts to deliver scheduled events, the newest first.',
      result: Type.Object({ invocations: Type.Array(Type.Unknown()), count: Type.Optional(Type.Integer()) }),
    },
    args: InvocationsArgs,
    access: 'any',
    editsMetadata: false,
    async handle(context, args) {
      const { type: kind, trigger_name = null, event_id = null } = args
      refuseNul(event_id)
      const { events, logs } = tables[kind]
      checkTrigger(context, args)
      const of = kind === 'cron' ? '($2::text is null or e.trigger_name = $2)' : '$2::text is null'
      return readEvents(context, {
        key: 'invocations',
        from: `select l.* from trellis.${logs} l join trellis.${events} e on e.id = l.event_id
          where ($1::text is null or l.event_id = $1) and ${of}`,
        order: 'created_at desc, id',
        values: [event_id, kind === 'cron' ? trigger_name : null],
        page: args,
      })
    },
  })

export const getEventInvocations = getInvocations('get_event_invocations')
export const getScheduledEventInvocations = getInvocations('get_scheduled_event_invocations')

export const deleteScheduledEvent = operation({
  type: 'delete_scheduled_event',
  about: { summary: 'Removes a scheduled event with the log of its attempts.' },
  args: DeleteArgs,
  editsMetadata: false,
  async handle({ transaction }, { type, event_id }) {
    refuseNul(event_id)
    await transaction.rows(`delete from trellis.${tables[type].events} where id = $1`, [event_id])
  },
})

function checkTrigger({ metadata }: OperationContext, { type, trigger_name }: OfTrigger): void {
  if (type === 'cron' && trigger_name !== undefined) requireCronTrigger(metadata.cron_triggers, trigger_name)
}

/** No id contains U+0000. */
function refuseNul(id: string | null): void {
  if (id?.includes('\0')) throw badRequest('parse-failed', 'an id must not hold the character U+0000')
}

interface EventPage {
  readonly key: string
  readonly from: string
  readonly order: string
  readonly values: readonly unknown[]
  readonly page: Pick<Static<typeof EventsArgs>, 'limit' | 'offset' | 'get_rows_count'>
}

/** A page of rows, with their total if requested. */
async function readEvents({ transaction }: OperationContext, { key, page, ...query }: EventPage) {
  const { limit = null, offset = 0, get_rows_count: counts = true } = page
  const { rows, count } = await readPage(transaction, { ...query, limit, offset, counts })
  return { [key]: rows, ...(counts && { count }) }
}
