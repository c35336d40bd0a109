// Subscribers whose live queries have the same answer: the same statement with the same values.

import { hash, randomUUID } from 'node:crypto'
import type { GraphQLRequest, PlannedRequest, SchemaKind } from '../../../../sdk/graphql.ts'
import type { Session, TrellisError } from '../../../../sdk/index.ts'
import type { Caller } from '../../../../sdk/services.ts'
import { isConnectionLost } from '../../../../sdk/sql.ts'
import { mayBeClock } from '../hearing/reads.ts'
import type { MadeValues } from './made-values.ts'
import type { Position, StreamAnswer } from './position.ts'
import type { Slices } from './slices.ts'

/** What is subscribed to, and by whom. */
export interface LiveRequest {
  readonly request: GraphQLRequest
  readonly session: Session
  readonly schema: SchemaKind
  /** In whose share of the statements at work it is asked. */
  readonly caller: Caller
}

/** Where answers go. */
export interface LiveSink {
  /** Told what the answers from here on are answers to. */
  planned(planned: PlannedRequest): void
  /** Whether the client takes what it is sent; when it does not, streams wait. */
  readonly isFull: boolean
  /** Resolves when more can be sent, or nothing ever. */
  room(): Promise<void>
  /** The next answer of a stream, which none that comes later replaces. */
  append(body: Buffer): void
  /** A new answer, `{"data":{…}}`; others get the same bytes. */
  next(body: Buffer): void
  /** There is none this time; the subscription stays. */
  fail(error: TrellisError): void
  /** The subscription is over. */
  end(error: TrellisError): void
}

/** The answer of a stream for a cohort. */
type Appended = StreamAnswer & Pick<Member, 'times'>

/** One subscription. */
export interface Member {
  /** Counted from the start of the server. */
  readonly id: number
  live: LiveRequest
  readonly sink: LiveSink
  /** A digest of what it was sent last, or {@link outdated}; null before the first answer. */
  sent: string | null
  cohort: Cohort | null
  /** The first turn of the group whose answers it gets: those of before were on their way when it came. */
  from: number
  /** In a stream: what it was sent of it, the times that its values stood for when it began, and whether it is given time. */
  position: Position | null
  times: MadeValues | null
  isHeld: boolean
}

/** Stands for the digest of what was sent where the next answer is sent anyway. */
export const outdated = 'outdated'

const digestOf = (content: Buffer | string): string => hash('sha1', content, 'base64')

export class Cohort {
  readonly id = randomUUID()
  /** Of its group. */
  readonly key: string
  /** A JSON array of texts. */
  readonly values: string
  readonly session: Session
  readonly members = new Set<Member>()
  /** Whether its values stand for another time at each look. */
  isClock: boolean
  /** Whether it has no answer of the last time that it was asked for. */
  isFailed = false

  constructor(key: string, values: string, session: Session) {
    this.key = key
    this.values = values
    this.session = session
    this.isClock = mayBeClock(values)
  }

  /** Hands the answer of a turn to those who do not have it. */
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

  /** The same of a stream; `onMoved` is given those who have moved on by it, or whose times were made for it. */
  async append(
    { body, rows, position, times }: Appended,
    turn: number,
    slices: Slices,
    onMoved: (member: Member) => void,
  ): Promise<void> {
    this.isFailed = false
    for (const member of this.members) {
      if (member.from > turn || member.isHeld) continue
      if (rows > 0 || member.sent !== 'some') member.sink.append(body)
      member.sent = 'some'
      if (position !== null) member.position = position
      if (times !== null) member.times = times
      if (position !== null || times !== null) onMoved(member)
      if (slices.isOver && !(await slices.next())) return
    }
  }

  /** Whether all are given time. */
  get isHeld(): boolean {
    for (const member of this.members) if (!member.isHeld) return false
    return true
  }

  /**
   * Tells that there is no answer: newcomers end with it unless it will pass by itself, the others stay, and all who stay
   * are told once.
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

  /** The digest of the answer that all have who got the last one. */
  get digest(): string | null {
    for (const { sent } of this.members) return sent
    return null
  }
}

/** Whether an error has nothing to do with what is asked. */
const isPassing = (error: TrellisError): boolean => error.status === 503 || isConnectionLost(error)
