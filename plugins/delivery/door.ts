// The door `trellis/delivery` for other plugins. Importing it adds the plugin's parts to the types of documents and models.

export {
  type EventCall,
  type EventHandler,
  type EventHandlers,
  eventHandlers,
  type Receiver,
} from './attempts/handlers.ts'
export { type Deliveries, deliveries } from './deliveries.ts'
