// Subscribers whose live queries have the same answer: the same statement with the same values.

import { hash, randomUUID } from 'node:crypto'
import type { GraphQLRequest, PlannedRequest, SchemaKind } from '../../../../sdk/graphql.ts'
import type { Session, TrellisError } from '../../../../sdk/index.ts'
import type { Caller } from '../../../../sdk/services.ts'
import { isConnectionLost } from '../../../../sdk/sql.ts'
import { mayBeClock } from '../writes/reads.ts'
import type { EvaluatedTimes } from './evaluated-times.ts'
import type { Position, StreamAnswer } from './position.ts'
import type { Slices } from './slices.ts'

/** A subscription request with its session. */
export interface LiveRequest {
  readonly request: GraphQLRequest
  readonly session: Session
  readonly schema: SchemaKind
  /** The caller whose share of the running statements it uses. */
  readonly caller: Caller
  /** The headers of the client, which remote schemas and actions may get. */
  readonly headers: Readonly<Record<string, string>>
}

/** The receiver of answers. */
export interface LiveSink {
  /** Whether the client is slow to receive; streams wait then. */
  readonly isFull: boolean
  /** Resolves when more can be sent, or when the connection has ended. */
  room(): Promise<void>
  /** The next answer of a stream; later answers do not replace it. */
  append(body: Buffer): void
  /** A new answer, `{"data":{…}}`; all subscribers share the bytes. */
  next(body: Buffer): void
  /** The answer failed this time; the subscription stays. */
  fail(error: TrellisError): void
  /** The subscription ends. */
  end(error: TrellisError): void
}

/** A sink that adds fields which are resolved outside the database. */
export interface JoiningSink extends LiveSink {
  /** Sets the plan of the following answers. */
  planned(planned: PlannedRequest): void
  /** Ends the subscription. */
  stop(): void
}

/** A stream's answer for a cohort. */
type Appended = StreamAnswer & Pick<Member, 'times'>

/** One subscription. */
export interface Member {
  /** Counted from the start of the server. */
  readonly id: number
  live: LiveRequest
  sink: LiveSink
  /** Its sink, if joins were added to its answers since it began. */
  joined: JoiningSink | null
  /** A digest of the last answer sent, or {@link outdated}; null before the first answer. */
  sent: string | null
  cohort: Cohort | null
  /** The first turn of the group whose answer it gets: earlier answers were asked for before it joined. */
  from: number
  /** Streams only: the position, the evaluated times of its values, and whether it waits for its client. */
  position: Position | null
  times: EvaluatedTimes | null
  isPaused: boolean
}

/** A digest that differs from every answer, so that the next one is sent. */
export const outdated = 'outdated'

const digestOf = (content: Buffer | string): string => hash('sha1', content, 'base64')

export class Cohort {
  readonly id = randomUUID()
  /** The key of its group. */
  readonly key: string
  /** A JSON array of texts. */
  readonly values: string
  readonly session: Session
  readonly members = new Set<Member>()
  /** Whether a value means another time at each poll. */
  isClock: boolean
  /** Whether its last statement failed. */
  isFailed = false
  /** A snapshot after which it was asked last, or became due. */
  asOf: string | null

  constructor({ key, values, session, asOf }: Pick<Cohort, 'key' | 'values' | 'session' | 'asOf'>) {
    this.key = key
    this.values = values
    this.session = session
    this.asOf = asOf
    this.isClock = mayBeClock(values)
  }

  /** Sends the answer of a turn to the subscribers that do not have it. */
  async deliver(body: Buffer, turn: number, slices: Slices): Promise<void> {
    this.isFailed = false
    const digest = digestOf(body)
    for (const member of this.members) {
      if (member.sent === digest || member.from > turn) continue
      member.sent = digest
      member.sink.next(body)
      if (slices.isOver && !(await slices.next())) return
    }
  }

  /** The same for a stream; calls `onMoved` for subscribers whose position or evaluated times changed. */
  async append(
    { body, rows, position, times }: Appended,
    turn: number,
    slices: Slices,
    onMoved: (member: Member) => void,
  ): Promise<void> {
    this.isFailed = false
    for (const member of this.members) {
      if (member.from > turn || member.isPaused) continue
      if (rows > 0 || member.sent !== 'some') member.sink.append(body)
      member.sent = 'some'
      if (position !== null) member.position = position
      if (times !== null) member.times = times
      if (position !== null || times !== null) onMoved(member)
      if (slices.isOver && !(await slices.next())) return
    }
  }

  /** Whether all subscribers wait for their clients. */
  get isPaused(): boolean {
    for (const member of this.members) if (!member.isPaused) return false
    return true
  }

  /**
   * Reports a failed statement. New subscribers end with the error unless it is temporary; the others stay and get each error
   * once.
   */
  fail(error: TrellisError): void {
    this.isFailed = true
    const digest = digestOf(`${error.code} ${error.message}`)
    for (const member of [...this.members]) {
      if (member.sent === null && !isPassing(error)) {
        this.members.delete(member)
        member.cohort = null
        member.sink.end(error)
      } else if (member.sent !== digest) {
        member.sent = digest
        member.sink.fail(error)
      }
    }
  }

  /** The digest of the last answer that all its subscribers have. */
  get digest(): string | null {
    for (const { sent } of this.members) return sent
    return null
  }
}

/** Whether an error is temporary and does not depend on the request. */
const isPassing = (error: TrellisError): boolean => error.status === 503 || isConnectionLost(error)
