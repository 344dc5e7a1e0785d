import Datasets

/// A subject that can query unsaved flights: the stacks.
protocol UnsavedFlightsSubject: FlightsSubject {
    /// Inserts flights without relationships into the view context without saving.
    func insertUnsavedFlights(_ flights: [FlightRow]) throws

    /// Counts the matching unsaved flights and sums their distances.
    func findUnsavedFlights(_ question: PredicateQuestion) throws -> FlightsChecksum

    /// Saves them down to the store.
    func saveUnsavedFlights() throws
}
