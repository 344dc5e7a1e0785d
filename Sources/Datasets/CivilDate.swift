/// Days from 1 January 1970 to a date of the Gregorian calendar.
///
/// A year is counted from March, so that the leap day is its last day. The months before it repeat
/// the lengths 31, 30, 31, 30, 31, and `(153 * month + 2) / 5` adds them up.
func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 1 - 719_468
}

/// The number of days of a month of the Gregorian calendar; the month is from 1 to 12.
func lastDay(ofMonth month: Int, in year: Int) -> Int {
    let next = month == 12 ? (year + 1, 1) : (year, month + 1)
    return daysSince1970(year: next.0, month: next.1, day: 1)
        - daysSince1970(year: year, month: month, day: 1)
}
