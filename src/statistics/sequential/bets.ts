/** A game in which nobody gains in the long run while the mean is not above a limit. */
export interface Game {
  limit: number
  /** The largest stake. */
  most: number
  /** A first guess of a value's squared distance from the limit; counts as one value. */
  square: number
  /** The log of the factor by which money grows when a stake times a value's distance from the limit is this. */
  growth(bet: number): number
}

/**
 * Fair for every distribution above `lowest` with a mean of at most `limit`.
 *
 * Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024).
 */
export const rangeGame = (limit: number, lowest: number): Game => ({
  limit,
  most: MOST_STAKE / (limit - lowest),
  square: (limit - lowest) ** 2 / 4,
  growth: Math.log1p,
})

const MOST_STAKE = 0.9

/**
 * Fair for every value whose sign is a coin's throw, as it is while base and candidate are exchangeable: needs no range,
 * and one value can at most double the money.
 *
 * Source: Ramdas, Ruf, Larsson and Koolen, "Admissible anytime-valid sequential inference must rely on nonnegative
 * martingales" (2020), arXiv 2009.03167, section 5, on symmetric distributions.
 */
export const signGame = (gain: number): Game => ({
  limit: 0,
  most: Number.POSITIVE_INFINITY,
  square: (4 * gain) ** 2,
  // bet − log cosh(bet), without overflow.
  growth: (bet) => bet - Math.abs(bet) + Math.LN2 - Math.log1p(Math.exp(-2 * Math.abs(bet))),
})

/** Stakes in times of the best one, with the share of money that follows each. */
const STAKES: readonly (readonly [times: number, share: number])[] = [
  [1, 0.8],
  [2.5, 0.2],
]

/**
 * Money that is bet on a mean being above a game's limit. Where it is not, the money ever grows by 1 / α with a chance of
 * at most α, at whatever moment one looks.
 *
 * Source: Ville, "Étude critique de la notion de collectif" (1939).
 */
export class Bets {
  readonly #game: Game
  readonly #gain: number
  /** Each strategy's money, as a log. */
  readonly #logs: number[] = STAKES.map(([, share]) => Math.log(share))
  #squares: number
  #count = 1
  #highest = 0

  /** `gain` is how far above the limit the mean is expected. */
  constructor(game: Game, gain: number) {
    this.#game = game
    this.#gain = gain
    this.#squares = game.square
  }

  /** The log of the highest sum of money so far. */
  get highest(): number {
    return this.#highest
  }

  /** Bets on a value; `weight`, from 0 to 1, is its share of the largest one. */
  observe(value: number, weight: number): void {
    const won = weight * (value - this.#game.limit)
    // Money grows fastest with this stake if the gain is as expected.
    const best = this.#gain / (this.#squares / this.#count + this.#gain ** 2)
    for (const [place, [times]] of STAKES.entries()) {
      const stake = Math.min(this.#game.most, times * best)
      this.#logs[place] = (this.#logs[place] ?? 0) + this.#game.growth(stake * won)
    }
    this.#squares += won * won
    this.#count++
    const top = Math.max(...this.#logs)
    const sum = this.#logs.reduce((total, log) => total + Math.exp(log - top), 0)
    this.#highest = Math.max(this.#highest, top + Math.log(sum))
  }
}
