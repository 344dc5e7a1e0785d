import Datasets
import Foundation
import ObjectGraph

/// The letters of the flights' tail numbers, so that questions also cover strings beyond ASCII.
enum Alphabet: String, CaseIterable, Sendable {
    /// The original letters.
    case ascii
    /// With letters of two and three bytes in UTF-8 that fold to the original ones.
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

    /// Rewrites the tail numbers in a store that is not open elsewhere.
    ///
    /// The engine does it, since only its functions maintain a folded index. It saves in parts,
    /// because the worker's peak memory includes this work.
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

    /// An expression for the original letters of a column.
    fileprivate func plain(_ column: String) -> String {
        guard self == .accented else { return column }
        return Self.accents.reduce(column) {
            "replace(\($0), '\($1.accented)', '\($1.plain)')"
        }
    }
}

extension PredicateQuestion {
    /// The same question about tail numbers in this alphabet.
    ///
    /// A folding comparison keeps its format, because it must find the accented letters. Its SQL
    /// condition removes the accents, since plain SQL cannot fold them.
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
    /// Spells the text between pairs of the mark in the alphabet.
    fileprivate func spelledWithin(_ mark: String, _ alphabet: Alphabet) -> String {
        components(separatedBy: mark).enumerated().map { position, part in
            position % 2 == 1 ? alphabet.spelling(part) : part
        }.joined(separator: mark)
    }
}
