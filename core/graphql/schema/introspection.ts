// `__schema` and `__type`. The types that an answer needs live only while it is written; the bytes are cached.

import { promisify } from 'node:util'
import { constants, type ZstdOptions, zstdCompress, zstdDecompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { Mutex } from '../../concurrency/mutex.ts'
import { inTurns, type Steps } from '../../concurrency/stepwise.ts'
import type { Model } from '../../metadata/document/model.ts'
import type { BoundArguments } from '../read/arguments.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import type { FieldSelection } from '../read/selection.ts'
import { introspectionLevel, longestIntrospectionKey, maxIntrospections } from '../tuning.ts'
import { introspectedField, selectionText } from './introspected-field.ts'
import { type Around, IntrospectionWriter } from './introspection-writer.ts'
import { WholeSchema } from './whole-schema.ts'

/** The size of an answer. */
interface AnswerSize {
  /** The number of values in it. */
  readonly values: number
  /** The most values that an operation about this schema may ask for, as far as its types were reached. */
  readonly most: number
}

interface Answered extends AnswerSize {
  readonly bytes: Buffer
}

interface Kept extends AnswerSize {
  readonly compressed: Buffer
  /** The number of bytes before they were compressed. */
  readonly length: number
}

const compress: (bytes: Buffer, options: ZstdOptions) => Promise<Buffer> = promisify(zstdCompress)
const decompress: (bytes: Buffer, options: ZstdOptions) => Promise<Buffer> = promisify(zstdDecompress)

const compression: ZstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: introspectionLevel } }

/** The bytes as they were. They fit into one chunk, which is not copied; a full chunk would be followed by another. */
const restored = ({ compressed, length }: Kept): Promise<Buffer> => decompress(compressed, { chunkSize: length + 64 })

/** The answers about one generation of the model, for all roles. */
class IntrospectionAnswers {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: maxIntrospections,
    sizeCalculation: ({ compressed }, key) => compressed.length + key.length,
  })
  readonly #pending = new Map<string, Promise<Answered>>()
  /** One answer is written at a time: each needs the types of a schema, which may be large. */
  readonly #writing = new Mutex()

  /** An answer that is kept or being written, if there is one; it resolves to null unless `admits` accepts its size. */
  known(key: string, admits: (size: AnswerSize) => boolean): Promise<Buffer | null> | null {
    const kept = this.#kept.get(key)
    if (kept) return admits(kept) ? restored(kept) : Promise.resolve(null)
    const pending = this.#pending.get(key)
    return pending ? pending.then((answered) => (admits(answered) ? answered.bytes : null)) : null
  }

  /** Writes an answer and keeps it. */
  async write(key: string, write: () => Promise<Answered>): Promise<Buffer> {
    const answered = this.#writing.run(write)
    if (key.length <= longestIntrospectionKey) {
      this.#pending.set(key, answered)
      // Callers learn of the failure from the answer itself.
      this.#keep(key, answered).catch(() => {})
    }
    return (await answered).bytes
  }

  async #keep(key: string, answered: Promise<Answered>): Promise<void> {
    try {
      const { bytes, values, most } = await answered
      const compressed = await compress(bytes, compression)
      this.#kept.set(key, { compressed, length: bytes.length, values, most })
    } finally {
      if (this.#pending.get(key) === answered) this.#pending.delete(key)
    }
  }
}

const answers = new WeakMap<Model, IntrospectionAnswers>()

function answersAbout(model: Model): IntrospectionAnswers {
  const known = answers.get(model) ?? new IntrospectionAnswers()
  answers.set(model, known)
  return known
}

/** The introspection fields of one operation: a limit holds for all of them. */
export class Introspection {
  readonly #role: PlannedSchema
  #writer: IntrospectionWriter | null = null

  constructor(role: PlannedSchema) {
    this.#role = role
  }

  /**
   * The text around a selected `__schema` or `__type` with its value; refused when the operation asks for more than any tool
   * needs.
   */
  async answer(selection: FieldSelection, argumentsOf: BoundArguments, around: Around): Promise<Buffer> {
    const { model, role, backendOnly, kind } = this.#role
    const introspections = answersAbout(model)
    const field = introspectedField(selection, argumentsOf)
    const key = JSON.stringify([role, backendOnly, kind, around.prefix, selectionText(field)])
    const writer = this.#writerOfAll()
    const known = await introspections.known(key, ({ values, most }) => writer.admits(values, most))
    return known ?? (await introspections.write(key, () => inTurns(writer.value(field, around))))
  }

  /** Writes about so many values of an answer, and drops them. */
  *part(selection: FieldSelection, argumentsOf: BoundArguments, values: number): Steps<void> {
    const writer = this.#writerOfAll()
    const steps = writer.value(introspectedField(selection, argumentsOf), { prefix: '', suffix: '' })
    while (writer.values < values && !steps.next().done) yield
    writer.drop()
  }

  #writerOfAll(): IntrospectionWriter {
    const sortsMetaEnums = this.#role.dialect.metaEnums === 'by name'
    this.#writer ??= new IntrospectionWriter(new WholeSchema(this.#role.anew()), sortsMetaEnums)
    return this.#writer
  }
}
