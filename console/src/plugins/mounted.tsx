import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ConsoleEnd, ConsoleModule } from '../../../plugins/console/module-contract.ts'
import { serverUrl } from '../base/facts.ts'
import type { ModulePart } from '../server/config-parts.ts'
import { useGo } from '../shell/navigation.tsx'
import { baseSheet, defineElements } from './elements.ts'
import css from './mounted.module.css'
import { type PartContext, servicesOf } from './services.ts'

/** Milliseconds in which a module has to be mounted. */
const mountedWithin = 3000

const modules = new Map<string, Promise<ConsoleModule>>()

/** The module at an address below the server; one that failed is asked for again. */
function load(address: string): Promise<ConsoleModule> {
  const url = new URL(address, serverUrl).href
  const loading =
    modules.get(url) ?? (import(/* @vite-ignore */ url) as Promise<{ default?: ConsoleModule }>).then(check)
  modules.set(url, loading)
  loading.catch(() => modules.delete(url))
  return loading
}

function check({ default: module }: { default?: ConsoleModule }): ConsoleModule {
  if (module?.api !== 1 || typeof module.mount !== 'function') {
    throw new Error('its module has no default export with "api: 1" and "mount"')
  }
  return module
}

interface MountedProps {
  readonly part: ModulePart
  readonly context?: PartContext
  /** Whether it is a piece of a line, as a cell. */
  readonly isInline?: boolean
  /** Takes the place of a part that failed; absent: a notice. */
  readonly fallback?: ReactNode
}

const empty: PartContext = {}

/** A part of a plugin, in a shadow root. A part that fails becomes a notice, and the page around it stays. */
export function Mounted({ part: { plugin, module }, context = empty, isInline = false, fallback }: MountedProps) {
  const place = useRef<HTMLDivElement>(null)
  const [fault, setFault] = useState<string | null>(null)
  const go = useRef(useGo())
  const told = JSON.stringify(context)
  // `told` has the content of `context`, which is another object at each rendering.
  useEffect(() => {
    setFault(null)
    const leaving = new AbortController()
    const host = document.createElement(isInline ? 'span' : 'div')
    const outer = document.createElement('div')
    outer.style.display = isInline ? 'contents' : 'block'
    const root = outer.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [baseSheet()]
    root.append(host)
    place.current?.append(outer)
    let end: ConsoleEnd
    const fail = (error: unknown) => {
      if (leaving.signal.aborted) return
      setFault(error instanceof Error ? error.message : String(error))
      leave()
    }
    const leave = () => {
      clearTimeout(timer)
      leaving.abort()
      outer.remove()
      try {
        end?.()
      } catch (error) {
        console.warn(`The plugin "${plugin}" did not end: ${String(error)}`)
      }
    }
    const timer = setTimeout(() => fail(new Error('it did not start within 3 seconds')), mountedWithin)
    const services = servicesOf({ plugin, signal: leaving.signal, context, go: (path) => go.current(path) })
    const start = async () => {
      defineElements()
      const { mount } = await load(module)
      if (leaving.signal.aborted) return
      const ended = await mount(host, services)
      clearTimeout(timer)
      if (leaving.signal.aborted) ended?.()
      else end = ended
    }
    start().catch(fail)
    return leave
  }, [plugin, module, told, isInline])
  if (fault !== null && fallback !== undefined) return fallback
  return (
    <div className={isInline ? css['inline'] : css['part']} data-plugin={plugin}>
      {fault !== null && (
        <p role="alert" className={css['notice']}>
          The plugin <b>{plugin}</b> cannot show this part: {fault}
        </p>
      )}
      <div ref={place} className={isInline ? css['inline'] : css['place']} />
    </div>
  )
}
