import Foundation

/// An hour of 2013 on New York's clocks.
struct LocalHour {
    let year = 2013
    let month: Int
    let day: Int
    let hour: Int
    /// 1 for the first of January.
    let dayOfYear: Int
    let start: Date

    /// The hours that the clocks showed, without repetition.
    static let indices = (0..<365 * 24).filter { $0 != daylightSaving.lowerBound }

    /// From 10 March, when the clocks skipped 2:00, until 3 November, when they showed 1:00 twice.
    private static let daylightSaving = 68 * 24 + 2..<306 * 24 + 2

    /// - Parameter index: clock hours since the start of the year, 0 to 8,759.
    init(index: Int) {
        let monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 1
        var day = index / 24 + 1
        while day > monthLengths[month - 1] {
            day -= monthLengths[month - 1]
            month += 1
        }
        self.month = month
        self.day = day
        hour = index % 24
        dayOfYear = index / 24 + 1
        let hoursBehindUTC = Self.daylightSaving.contains(index) ? 4 : 5
        let yearStart = daysSince1970(year: year, month: 1, day: 1) * 24
        start = Date(timeIntervalSince1970: Double(yearStart + index + hoursBehindUTC) * 3_600)
    }
}
