import { useIsFetching } from '@tanstack/react-query'
import { Outlet, useMatches, useRouter } from '@tanstack/react-router'
import { Activity, LogOut, Moon, PanelBottom, Search, Sun, SunMoon } from 'lucide-react'
import { Fragment, Suspense, useCallback, useEffect, useMemo, useRef } from 'react'
import { facts } from '../base/facts.ts'
import { useStore } from '../base/store.ts'
import { IconButton } from '../parts/button.tsx'
import { Loading } from '../parts/states.tsx'
import { ToastArea } from '../parts/toast.tsx'
import { credentialKind } from '../requests/credentials.ts'
import { identity } from '../requests/identity.ts'
import { isOnline, readOnly } from '../requests/mode.ts'
import { pagePath, useParts } from '../server/plugin-parts.ts'
import { useConfig } from '../server/queries.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import type { ConsolePage, Crumb } from './contract.ts'
import css from './frame.module.css'
import { HelpDialog } from './help-dialog.tsx'
import { IdentityChip } from './identity-chip.tsx'
import { useKeys } from './keys.ts'
import { hrefOf, To, useNames } from './navigation.tsx'
import { isDrawerOpen, isPaletteOpen } from './overlays.ts'
import { iconOf } from './page-icons.ts'
import { Palette } from './palette.tsx'
import { RequestsDrawer } from './requests-drawer.tsx'
import { endedSessions, endSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { nextTheme, theme } from './theme.ts'

/** The frame around every page: rail, top, banners, drawer, and the dialogs over the page. */
export function frameOf(all: readonly ConsolePage[]) {
  return function Frame() {
    const { history } = useRouter()
    const config = useConfig()
    const pages = useMemo(() => all.filter((page) => !config || (page.isOffered?.(config) ?? true)), [config])
    const go = useCallback((path: string) => history.push(hrefOf(path)), [history])
    const { role } = useStore(identity)
    const { page, crumbs } = usePlace(all)
    const session = useStore(endedSessions)
    useKeys(pages, go)
    useEffect(() => {
      document.title = [...crumbs.map(({ title }) => title).reverse(), page?.title, 'Trellis']
        .filter(Boolean)
        .join(' · ')
    }, [page, crumbs])
    return (
      <div className={css['frame']} data-role={role ?? undefined}>
        <Rail pages={pages} current={page} />
        <div className={css['main']}>
          <header>
            <Environment />
            <Top crumbs={page ? [{ title: page.title, path: page.id }, ...crumbs] : []} />
            <Banners />
          </header>
          <main className={css['content']} id="content">
            <Suspense fallback={<Loading label="Loading the page" />}>
              <Outlet key={session} />
            </Suspense>
          </main>
          <RequestsDrawer />
        </div>
        <Palette pages={pages} go={go} />
        <SignIn />
        <ConflictDialog />
        <ConfirmDialog />
        <HelpDialog pages={pages} />
        <ToastArea />
      </div>
    )
  }
}

/** The page of the address, and the parts of the breadcrumb after it. */
function usePlace(pages: readonly ConsolePage[]): { page: ConsolePage | undefined; crumbs: readonly Crumb[] } {
  const match = useMatches().at(-1)
  const path = match?.fullPath.replace(/^\/|\/$/g, '') ?? ''
  const params = match?.params as Record<string, string>
  const page = path === '' ? pages[0] : pages.find(({ routes }) => routes.some((route) => route.path === path))
  const crumbs = page?.routes.find((route) => route.path === path)?.crumbs?.(params) ?? []
  return { page, crumbs }
}

interface RailProps {
  readonly pages: readonly ConsolePage[]
  readonly current: ConsolePage | undefined
}

function Rail({ pages, current }: RailProps) {
  const rail = useRef<HTMLElement>(null)
  const plugins = useParts().pages.length
  // On a narrow window the rail is a line that is wider than the window.
  useEffect(() => {
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pages, current, plugins])
  return (
    <nav ref={rail} className={css['rail']} aria-label="Pages">
      <To path="" className={css['brand']} aria-label="Trellis, start">
        <svg viewBox="0 0 16 16" aria-hidden>
          <path d="M3 1v14M8 1v14M13 1v14M1 4h14M1 10h14" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
        <span>Trellis</span>
      </To>
      {pages
        .filter(({ isListed = true }) => isListed)
        .map(({ id, title, icon: Icon, letter }) => (
          <Fragment key={id}>
            <To
              path={id}
              className={css['link']}
              aria-current={current?.id === id ? 'page' : undefined}
              title={`${title} (g ${letter})`}
            >
              <Icon aria-hidden />
              <span>{title}</span>
            </To>
            <PluginLinks group={id} />
          </Fragment>
        ))}
      <PluginLinks group={null} />
    </nav>
  )
}

/** The pages of plugins below a page of the rail; null: those that have a place of their own. */
function PluginLinks({ group }: { readonly group: string | null }) {
  const { plugin, _splat } = useNames()
  const own = useParts().pages.filter((page) => page.group === group)
  return own.map((page) => {
    const path = pagePath(page)
    const Icon = iconOf(page.icon)
    return (
      <To
        key={path}
        path={path}
        className={`${css['link']} ${group === null ? '' : css['below']}`}
        aria-current={page.plugin === plugin && page.path === _splat ? 'page' : undefined}
        title={page.title}
      >
        <Icon aria-hidden />
        <span>{page.title}</span>
      </To>
    )
  })
}

function Top({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  const chosen = useStore(theme)
  const kind = useStore(credentialKind)
  const isOpen = useStore(isDrawerOpen)
  const themeIcon = { system: <SunMoon aria-hidden />, light: <Sun aria-hidden />, dark: <Moon aria-hidden /> }[chosen]
  return (
    <div className={css['top']}>
      <nav className={css['crumbs']} aria-label="Breadcrumb">
        <ol>
          {crumbs.map(({ title, path }, index) => (
            <li key={`${title} ${path ?? ''}`}>
              {path !== undefined && index < crumbs.length - 1 ? <To path={path}>{title}</To> : <span>{title}</span>}
            </li>
          ))}
        </ol>
      </nav>
      <Busy />
      <IdentityChip />
      <ReadOnlyChip />
      <button
        type="button"
        className={css['search']}
        onClick={() => isPaletteOpen.set(true)}
        aria-label="Search, Ctrl+K"
      >
        <Search aria-hidden /> <kbd>Ctrl K</kbd>
      </button>
      <IconButton
        label="Requests (Ctrl+J)"
        icon={<PanelBottom aria-hidden />}
        isPressed={isOpen}
        onClick={() => isDrawerOpen.set(!isOpen)}
      />
      <IconButton label={`Theme: ${chosen}`} icon={themeIcon} onClick={() => theme.set(nextTheme())} />
      {kind !== 'none' && <IconButton label="Sign out" icon={<LogOut aria-hidden />} onClick={endSession} />}
    </div>
  )
}

const Busy = () => (useIsFetching() > 0 ? <Activity className={css['busy']} aria-label="Asking the server" /> : null)

/** Whether the page may edit, and the person's choice of it. */
function ReadOnlyChip() {
  const why = useStore(readOnly)
  if (why === 'server') return <span className={css['locked']}>Read-only</span>
  return (
    <button
      type="button"
      className={css['mode']}
      aria-pressed={why === 'choice'}
      title={why === 'choice' ? 'Allow edits again' : 'Refuse all edits of this page'}
      onClick={() => readOnly.set(why === 'choice' ? null : 'choice')}
    >
      {why === 'choice' ? 'Read-only' : 'Editing'}
    </button>
  )
}

/** The environment's name in its colour. */
function Environment() {
  const { label, colour } = useConfig()?.environment ?? { label: null, colour: null }
  if (label === null && colour === null) return null
  return (
    <div className={css['environment']} style={{ borderColor: colour ?? 'var(--edge)' }}>
      {label}
    </div>
  )
}

function Banners() {
  const isReachable = useStore(isOnline)
  return (
    <>
      {!isReachable && (
        <p role="alert" className={css['banner']}>
          The server cannot be reached. Nothing is lost: what is shown here was read before.
        </p>
      )}
      {facts.isOpen && (
        <p className={css['banner']}>
          This server is open: everybody who can reach it may do everything. Set a secret with{' '}
          <code>--admin-secret</code>.
        </p>
      )}
    </>
  )
}
