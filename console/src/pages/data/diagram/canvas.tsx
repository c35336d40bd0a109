import '@xyflow/react/dist/base.css'
import { Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { formatEstimate } from '../../../base/format.ts'
import css from './diagram.module.css'
import { box, type Place } from './layout.ts'
import type { Diagram, DiagramTable } from './model.ts'

type TableNode = Node<{ readonly table: DiagramTable; readonly isCentre: boolean }, 'table'>

const Box = ({ data: { table, isCentre } }: NodeProps<TableNode>) => (
  <div className={css['box']} data-centre={isCentre || undefined} style={box}>
    <Handle type="target" position={Position.Left} isConnectable={false} />
    <span className={css['boxName']}>
      <strong>{table.label}</strong>
      {table.rows !== null && <span className={css['note']}>{formatEstimate(table.rows)}</span>}
    </span>
    <code className={css['rule']} title={table.rule}>
      {table.rule}
    </code>
    <Handle type="source" position={Position.Right} isConnectable={false} />
  </div>
)

const nodeTypes = { table: Box }

interface CanvasProps {
  readonly diagram: Diagram
  readonly places: readonly Place[]
  readonly centre: string
  /** Opens the surroundings of a table. */
  onOpen(key: string): void
}

/** The diagram to move around in. */
export function Canvas({ diagram, places, centre, onOpen }: CanvasProps) {
  const at = new Map(places.map((place) => [place.key, place]))
  const nodes = diagram.tables.flatMap((table): readonly TableNode[] => {
    const place = at.get(table.key)
    if (!place) return []
    const position = { x: place.x, y: place.y }
    const data = { table, isCentre: table.key === centre }
    return [{ id: table.key, type: 'table', position, data, ariaLabel: `${table.label}, ${table.rule}`, ...box }]
  })
  const edges = diagram.links
    // A link from a table to itself has no line between boxes; the list names it.
    .filter(({ from, to }) => from !== to && at.has(from) && at.has(to))
    .map(
      ({ key, from, to, names }): Edge => ({
        ...{ id: key, source: from, target: to, focusable: false },
        ariaLabel: names.join(', '),
      }),
    )
  return (
    <ReactFlow
      aria-label="Diagram"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      elementsSelectable
      onlyRenderVisibleElements
      fitView
      fitViewOptions={{ maxZoom: 1 }}
      minZoom={0.1}
      proOptions={{ hideAttribution: true }}
      onNodeClick={(_, { id }) => onOpen(id)}
    >
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}
