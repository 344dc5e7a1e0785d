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
