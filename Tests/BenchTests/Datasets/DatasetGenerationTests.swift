import Datasets
import Foundation
import Testing

@Suite struct `Generating flights` {
    @Test func `the whole has the published counts`() {
        let facts = FlightsDataset.generated(seed: 1).facts

        let published = DatasetFacts.published
        #expect(facts.airlineCount == published.airlineCount)
        #expect(facts.airportCount == published.airportCount)
        #expect(facts.planeCount == published.planeCount)
        #expect(facts.weatherCount == published.weatherCount)
        #expect(facts.flightCount == published.flightCount)
        #expect(facts.flightsWithoutPlane == published.flightsWithoutPlane)
        #expect(facts.flightsWithoutDestination == published.flightsWithoutDestination)
    }

    @Test func `a seed gives the same rows everywhere`() {
        let dataset = FlightsDataset.generated(seed: 42, scale: 0.01)

        #expect(dataset.source == .generated(seed: 42))
        #expect(dataset.facts.flightCount == 3_368)
        #expect(dataset.facts.flightsWithoutPlane == 526)
        #expect(dataset.facts.flightsWithoutDestination == 76)
        #expect(dataset.facts.distanceMilesTotal == 4_790_609)
        #expect(dataset.flights == FlightsDataset.generated(seed: 42, scale: 0.01).flights)
        #expect(dataset.flights != FlightsDataset.generated(seed: 43, scale: 0.01).flights)
    }

    @Test func `keys are unique and flights refer to them`() {
        let dataset = FlightsDataset.generated(seed: 7, scale: 0.01)

        let airlines = Set(dataset.airlines.map(\.carrier))
        let airports = Set(dataset.airports.map(\.code))
        let hours = Set(dataset.weather.map { "\($0.origin) \($0.time.timeIntervalSince1970)" })
        #expect(airlines.count == dataset.airlines.count)
        #expect(airports.count == dataset.airports.count)
        #expect(Set(dataset.planes.map(\.tailNumber)).count == dataset.planes.count)
        #expect(hours.count == dataset.weather.count)
        #expect(dataset.flights.allSatisfy { airlines.contains($0.carrier) })
        #expect(dataset.flights.allSatisfy { airports.contains($0.origin) })
    }

    @Test func `a cancelled flight has neither departure nor arrival`() {
        let flights = FlightsDataset.generated(seed: 7, scale: 0.1).flights

        let cancelled = flights.filter { $0.departureTime == nil }
        #expect(cancelled.count == 826)
        #expect(cancelled.allSatisfy { $0.departureDelayMinutes == nil && $0.arrivalTime == nil })
        #expect(cancelled.allSatisfy { $0.arrivalDelayMinutes == nil && $0.airTimeMinutes == nil })
        #expect(flights.count { $0.airTimeMinutes == nil } == 826 + 118)
    }

    @Test func `clock times are times of the day`() {
        let flights = FlightsDataset.generated(seed: 7, scale: 0.1).flights

        for time in flights.flatMap({ [$0.departureTime, $0.scheduledArrivalTime, $0.arrivalTime] })
        {
            guard let time else { continue }
            #expect((1...2400).contains(time) && time % 100 < 60)
        }
    }

    @Test(arguments: [0, 0.000_001, 0.001])
    func `a small scale works`(scale: Double) {
        let dataset = FlightsDataset.generated(seed: 1, scale: scale)

        #expect(dataset.facts.flightCount == Int((336_776 * scale).rounded()))
    }

    @Test func `a part of the flights has the same part of the weather`() {
        let whole = FlightsDataset.generated(seed: 1)
        let part = FlightsDataset.generated(seed: 1, scale: 0.1)

        #expect(part.facts.weatherCount == 2_612)
        #expect(part.weather == Array(whole.weather.prefix(2_612)))
        #expect(part.facts.planeCount == whole.facts.planeCount)
        #expect(FlightsDataset.generated(seed: 1, scale: 1.5).weather.count == 26_115)
    }
}
