// Finds places for the tables of a diagram, beside the page's own work.

import { Graph, layout } from '@dagrejs/dagre'
import type { LayoutAnswer, LayoutQuestion } from './layout.ts'

addEventListener('message', ({ data }: MessageEvent<LayoutQuestion>) => {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 80, marginx: 16, marginy: 16 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { key, width, height } of data.boxes) graph.setNode(key, { width, height })
  for (const { from, to } of data.links) if (from !== to) graph.setEdge(from, to)
  layout(graph)
  const places = data.boxes.map(({ key, width, height }) => {
    const { x, y } = graph.node(key) as { x: number; y: number }
    return { key, x: x - width / 2, y: y - height / 2 }
  })
  postMessage({ places } satisfies LayoutAnswer)
})
