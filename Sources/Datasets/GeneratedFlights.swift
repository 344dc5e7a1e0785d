/// Generates the flights of a year in the order of their timetable.
struct GeneratedFlights {
    private let network: GeneratedNetwork
    let count: Int
    private var withoutPlane: ExactSample
    private var otherTailNumberCount = 0
    private var withoutTailNumber: ExactSample
    private var withoutDestination: ExactSample
    private var cancelled: ExactSample
    private var diverted: ExactSample

    init(network: GeneratedNetwork, scale: Double) {
        func scaled(_ count: Int) -> Int { Int((Double(count) * scale).rounded()) }
        let facts = DatasetFacts.published
        self.network = network
        count = scaled(facts.flightCount)
        withoutPlane = ExactSample(scaled(facts.flightsWithoutPlane), of: count)
        withoutTailNumber = ExactSample(scaled(2_512), of: scaled(facts.flightsWithoutPlane))
        withoutDestination = ExactSample(scaled(facts.flightsWithoutDestination), of: count)
        cancelled = ExactSample(scaled(8_255), of: count)
        diverted = ExactSample(scaled(1_175), of: count - scaled(8_255))
    }

    mutating func rows(using random: inout SplitMix64) -> [FlightRow] {
        (0..<count).map { row(at: $0, using: &random) }
    }

    private mutating func row(at index: Int, using random: inout SplitMix64) -> FlightRow {
        let (hour, minute) = timetable(at: index, using: &random)
        let airline = network.airlineChoice.next(using: &random)
        let origin = random.integer(in: 0..<GeneratedNetwork.origins.count)
        let destination = destination(using: &random)
        // The three airports are within about 20 miles of each other.
        let distanceMiles = destination.distanceMiles + origin * 9
        let course = course(
            leavingAt: hour.hour * 60 + minute, for: destination, distanceMiles: distanceMiles,
            using: &random)
        return FlightRow(
            year: hour.year, month: hour.month, day: hour.day,
            departureTime: course.departure.map(clockTime),
            scheduledDepartureTime: hour.hour * 100 + minute,
            departureDelayMinutes: course.departureDelay,
            arrivalTime: course.arrival.map(clockTime),
            scheduledArrivalTime: clockTime(course.scheduledArrival),
            arrivalDelayMinutes: course.arrivalDelay,
            carrier: network.airlines[airline].carrier,
            flightNumber: random.integer(in: 1..<8_501),
            tailNumber: tailNumber(using: &random), origin: GeneratedNetwork.origins[origin],
            destination: destination.code, airTimeMinutes: course.airTime,
            distanceMiles: distanceMiles, hour: hour.hour, minute: minute,
            scheduledHour: hour.start)
    }

    /// Spreads the flights evenly over the year, and over the day like the published ones.
    private func timetable(
        at index: Int, using random: inout SplitMix64
    ) -> (hour: LocalHour, minute: Int) {
        let (day, placeInYear) = (index * 365).quotientAndRemainder(dividingBy: count)
        let placeInDay = placeInYear * Self.flightsByHour.total / count
        let hour = Self.flightsByHour.index(at: placeInDay)
        let isOnFive = random.happens(2, in: 3)
        let minute = isOnFive ? random.integer(in: 0..<12) * 5 : random.integer(in: 0..<60)
        return (LocalHour(index: day * 24 + hour), minute)
    }

    private static let flightsByHour = WeightedChoice([
        0, 1, 0, 0, 0, 1_953, 25_951, 22_821, 27_242, 20_312, 16_708, 16_033, 18_181, 19_956,
        21_706, 23_888, 23_002, 24_426, 21_783, 21_441, 16_739, 10_933, 2_639, 1_061,
    ])

    private mutating func destination(
        using random: inout SplitMix64
    ) -> GeneratedNetwork.Destination {
        if withoutDestination.next(using: &random) {
            let choice = WeightedChoice([5_819, 896, 522, 365]).next(using: &random)
            return GeneratedNetwork.destinationsWithoutAirport[choice]
        }
        return network.destinations[network.destinationChoice.next(using: &random)]
    }

    private mutating func tailNumber(using random: inout SplitMix64) -> String? {
        guard withoutPlane.next(using: &random) else {
            return network.planes[random.integer(in: 0..<network.planes.count)].tailNumber
        }
        guard !withoutTailNumber.next(using: &random) else { return nil }
        otherTailNumberCount += 1
        // A workload looks up the busiest of these planes, N725MQ, by its tail number. It has this
        // share of the published flights.
        let isBusiest = otherTailNumberCount % 87 == 1
        let number = 100 + random.integer(in: 0..<722)
        return "N\(isBusiest ? 725 : number)MQ"
    }
}

extension GeneratedFlights {
    /// How a flight went. Times are minutes of the local day; `nil` means that it never happened.
    private struct Course {
        var scheduledArrival: Int
        var departure: Int?
        var departureDelay: Int?
        var arrival: Int?
        var arrivalDelay: Int?
        var airTime: Int?
    }

    private mutating func course(
        leavingAt scheduledDeparture: Int, for destination: GeneratedNetwork.Destination,
        distanceMiles: Int, using random: inout SplitMix64
    ) -> Course {
        let airTime = 18 + distanceMiles * 60 / 470 + random.integer(in: -6..<7)
        let plannedAirTime = 18 + distanceMiles * 60 / 470
        let timeDifference = (destination.timeZoneHours + 5) * 60
        var course = Course(
            scheduledArrival: scheduledDeparture + plannedAirTime + 40 + timeDifference)
        guard !cancelled.next(using: &random) else { return course }
        let delay = departureDelay(using: &random)
        course.departure = scheduledDeparture + delay
        course.departureDelay = delay
        guard !diverted.next(using: &random) else { return course }
        let arrivalDelay = delay + airTime - plannedAirTime + random.integer(in: -18..<10)
        course.arrival = course.scheduledArrival + arrivalDelay
        course.arrivalDelay = arrivalDelay
        course.airTime = airTime
        return course
    }

    /// Draws from the published quantiles, with linear interpolation between them.
    private func departureDelay(using random: inout SplitMix64) -> Int {
        let point = random.integer(in: 0..<10_000)
        let upper = Self.delayQuantiles.firstIndex { point < $0.share }!
        let (above, below) = (Self.delayQuantiles[upper], Self.delayQuantiles[upper - 1])
        return below.minutes
            + (above.minutes - below.minutes) * (point - below.share) / (above.share - below.share)
    }

    /// Quantiles of the departure delay: of 10,000 flights, `share` have a delay below `minutes`.
    private static let delayQuantiles: [(share: Int, minutes: Int)] = [
        (0, -43), (100, -12), (500, -9), (2_500, -5), (5_000, -2), (7_500, 11), (9_000, 49),
        (9_500, 88), (9_900, 191), (9_990, 340), (10_000, 1_302),
    ]

    /// Hours times 100 plus minutes; midnight is 2400, as in the published tables.
    private func clockTime(_ minutes: Int) -> Int {
        let minuteOfDay = (minutes % 1_440 + 1_440) % 1_440
        return minuteOfDay == 0 ? 2_400 : minuteOfDay / 60 * 100 + minuteOfDay % 60
    }
}
