import { Clock, settled } from './clock.js'
import { SimulatedDisk } from './disk.js'
import { Network } from './network.js'
import type { SimulatedProcess } from './process.js'
import { Random } from './random.js'
import { type Handled, SimulatedService, type Weather } from './service.js'

/** The start time, in milliseconds since 1970. */
export const EPOCH = 1_700_000_000_000

/** Clock, disk, network and service of a simulation, and the processes in it. */
export class World {
  readonly clock = new Clock()
  readonly random: Random
  readonly disk = new SimulatedDisk(() => EPOCH + this.clock.time)
  readonly service: SimulatedService
  readonly network = new Network(this)
  readonly processes: SimulatedProcess[] = []
  /** The weather of the service, from each time on. */
  readonly weathers: { from: number; weather: Weather }[] = []
  /** The answers to clients about their uploads, by the names of the files. */
  readonly uploads = new Map<string, 'signed' | 'stored'>()
  nextId = 0
  /** Total time for which exiting processes have blocked all else. */
  blockedMs = 0
  #afterTurn: (() => void)[] = []

  constructor(seed: number) {
    this.random = new Random(seed ^ 0x5eed)
    this.service = new SimulatedService(this.random)
  }

  /** Returns the weather at a time. */
  weatherAt(time: number): void {
    let weather: Weather = 'well'
    for (const entry of this.weathers) if (entry.from <= time) weather = entry.weather
    this.service.weather = weather
  }

  /** Returns true when the service worked all the time between two moments. */
  wasWell(from: number, to: number): boolean {
    let before: Weather = 'well'
    for (const { from: begin, weather } of this.weathers) {
      if (begin <= from) before = weather
      else if (begin <= to && weather !== 'well') return false
    }
    return before === 'well'
  }

  answered(process: SimulatedProcess, handled: Handled): void {
    process.answers.note(handled)
    this.service.noteRefused(handled.refused)
  }

  /** Takes the service down with all requests under way, and back up after a time. */
  restart(downMs: number): void {
    const { clock, weathers } = this
    weathers.push({ from: clock.time, weather: 'away' })
    this.network.breakAll()
    clock.schedule(downMs, () => weathers.push({ from: clock.time, weather: 'well' }))
  }

  /** Runs a function once no promise can settle any more unless time passes. */
  afterTurn(work: () => void): void {
    this.#afterTurn.push(work)
  }

  /** Runs the next event, with its consequences. */
  async step(): Promise<void> {
    const at = Math.max(this.clock.time, this.clock.nextAt)
    this.weatherAt(at)
    await this.clock.step()
    if (this.hasTurnToEnd) await this.endTurn()
  }

  /** True when something waits for the end of the turn. */
  get hasTurnToEnd(): boolean {
    return this.#afterTurn.length > 0
  }

  /** Runs the functions that wait for the end of the turn. */
  async endTurn(): Promise<void> {
    while (this.#afterTurn.length > 0) {
      for (const work of this.#afterTurn.splice(0)) work()
      await settled()
    }
  }
}
