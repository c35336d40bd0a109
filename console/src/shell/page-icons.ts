// The icons that pages of plugins name.

import {
  Bell,
  BookOpen,
  Box,
  ChartLine,
  Clock,
  File,
  Gauge,
  Globe,
  KeyRound,
  List,
  type LucideIcon,
  Map as MapIcon,
  Plug,
  Search,
  Shield,
  Table2,
  Users,
} from 'lucide-react'

const icons: Readonly<Record<string, LucideIcon>> = {
  ...{ bell: Bell, book: BookOpen, box: Box, chart: ChartLine, clock: Clock, file: File, gauge: Gauge, globe: Globe },
  ...{
    key: KeyRound,
    list: List,
    map: MapIcon,
    plug: Plug,
    search: Search,
    shield: Shield,
    table: Table2,
    users: Users,
  },
}

/** The icon of a name. */
export const iconOf = (name: string): LucideIcon => icons[name] ?? Plug
