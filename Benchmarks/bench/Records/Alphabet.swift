import Datasets
import Foundation
import ObjectGraph

/// The letters in which the flights have their tail numbers, so that questions are asked of strings beyond ASCII too.
enum Alphabet: String, CaseIterable, Sendable {
    /// As they are.
    case ascii
    /// With letters of two and three bytes in UTF-8, which fold to those that they stand for.
    case accented

    private static let accents: [(plain: Character, accented: Character)] = [
        ("N", "Ñ"), ("M", "Ḿ"),
    ]

    func spelling(_ text: String) -> String {
        guard self == .accented else { return text }
        return String(
            text.map { letter in
                Self.accents.first { $0.plain == letter }?.accented ?? letter
            })
    }

    func spelling(_ flights: [FlightRow]) -> [FlightRow] {
        guard self == .accented else { return flights }
        return flights.map { flight in
            var flight = flight
            flight.tailNumber = flight.tailNumber.map(spelling)
            return flight
        }
    }

    /// Writes the tail numbers anew in a store that nobody has open.
    ///
    /// By the engine, since a folded index is kept by its functions; in parts, since what it takes counts for the peak of the
    /// worker's memory.
    func rewrite(_ store: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: store)
        try context.performAndWait {
            var request = FetchRequest(entityName: "Flight")
            request.fetchBatchSize = 1000
            for (position, flight) in try context.fetch(request, as: Flight.self).enumerated() {
                guard let tailNumber = flight[Flight.tailNumber] else { continue }
                flight[Flight.tailNumber] = spelling(tailNumber)
                if position % 10_000 == 9_999 { try context.save() }
            }
            try context.save()
        }
    }

    /// A column as it was before.
    fileprivate func plain(_ column: String) -> String {
        guard self == .accented else { return column }
        return Self.accents.reduce(column) {
            "replace(\($0), '\($1.accented)', '\($1.plain)')"
        }
    }
}

extension PredicateQuestion {
    /// The same question about tail numbers in that alphabet.
    ///
    /// A folding comparison stays as it is: that it finds the accented letters is what it is for. SQL without a folding of its
    /// own has to take the accents away.
    func spelled(in alphabet: Alphabet) -> PredicateQuestion {
        var question = self
        if id.hasSuffix("-cd") {
            question.sqlCondition = sqlCondition.replacing(
                "ZTAILNUMBER", with: alphabet.plain("ZTAILNUMBER"))
        } else {
            question.format = format.spelledWithin("\"", alphabet)
            question.sqlCondition = sqlCondition.spelledWithin("'", alphabet)
        }
        return question
    }
}

extension String {
    /// The text with what stands between pairs of the mark spelled in the alphabet.
    fileprivate func spelledWithin(_ mark: String, _ alphabet: Alphabet) -> String {
        components(separatedBy: mark).enumerated().map { position, part in
            position % 2 == 1 ? alphabet.spelling(part) : part
        }.joined(separator: mark)
    }
}
