#if PostgreSQL
import ObjectGraph

/// The statements that write the pairs of a save plan: one for each end of a join table and kind of
/// change.
struct JoinStatements {
    /// Remove pairs. A pair that is already gone is no error.
    private(set) var removals: [Command] = []

    /// Add the pairs that have no place. A pair that exists stays as it is.
    private(set) var additions: [Command] = []

    /// Write the places of the members of ordered relationships.
    private(set) var orders: [Command] = []

    init(_ plan: SavePlan, _ layout: StoreLayout) {
        let removed = Self.groups(plan.joins.lazy.filter { !$0.isInsertion })
        removals = removed.map { end, pairs -> Command in
            let join = layout.joinTable(end)
            return Command(
                """
                DELETE FROM \(join.name) AS j USING \(Self.source("")) \
                WHERE j.\(join.sourceColumn) = v.source \
                AND j.\(join.destinationColumn) = v.destination
                """, pairs.parameters)
        }
        let added = Self.groups(plan.joins.lazy.filter { $0.isInsertion && $0.position == nil })
        additions = added.map { end, pairs -> Command in
            let join = layout.joinTable(end)
            return Command(
                """
                INSERT INTO \(join.name) (\(join.sourceColumn), \(join.destinationColumn)) \
                SELECT v.source, v.destination FROM \(Self.source("")) ON CONFLICT DO NOTHING
                """, pairs.parameters)
        }
        let placed = Self.groups(plan.joins.lazy.filter { $0.position != nil })
        orders = placed.compactMap { end, pairs -> Command? in
            let join = layout.joinTable(end)
            return join.placeColumn.map { place in
                Command(
                    Self.order(join, place), pairs.parameters + [.column(pairs.order)])
            }
        }
    }

    private struct Pairs {
        var sources = ParameterColumn(.integer, capacity: 16)
        var destinations = ParameterColumn(.integer, capacity: 16)

        /// The numbers of the pairs in their order.
        var order = ParameterColumn(.integer, capacity: 16)

        var parameters: [Parameter] { [.column(sources), .column(destinations)] }
    }

    private static func groups(_ joins: some Sequence<JoinChange>) -> [(JoinEnd, Pairs)] {
        var groups: [(end: JoinEnd, pairs: Pairs)] = []
        for join in joins {
            guard case .joinTable(let end) = join.property.relationship?.storage else { continue }
            let index = groups.firstIndex { $0.end == end } ?? groups.count
            if index == groups.count { groups.append((end, Pairs())) }
            groups[index].pairs.order.append(integer: Int64(groups[index].pairs.order.count))
            groups[index].pairs.sources.append(integer: join.sourceKey)
            groups[index].pairs.destinations.append(integer: join.destinationKey)
        }
        return groups
    }

    private static func source(_ order: String) -> String {
        order.isEmpty
            ? "unnest($1::bigint[], $2::bigint[]) AS v(source, destination)"
            : "unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(source, destination, \(order))"
    }

    /// Gives the members of each source rising places. Members at the start of the list whose
    /// places rise already keep them; the others get places after these. So adding members at the
    /// end and removing any writes no other pair.
    ///
    /// The server computes the places, since reading them first would take a round trip more. The
    /// numbers are those of `OrderedPlaces`.
    private static func order(_ join: JoinTable, _ place: String) -> String {
        let (source, destination) = (join.sourceColumn, join.destinationColumn)
        return """
            WITH given AS (\
            SELECT v.source, v.destination, v.position, j.\(place) AS place \
            FROM \(self.source("position")) LEFT JOIN \(join.name) AS j \
            ON j.\(source) = v.source AND j.\(destination) = v.destination), \
            compared AS (\
            SELECT *, place BETWEEN -(1::bigint << 60) AND 1::bigint << 60 AND place > coalesce(\
            lag(place) OVER (PARTITION BY source ORDER BY position), -(1::bigint << 61)) AS rises \
            FROM given), \
            marked AS (\
            SELECT *, coalesce(bool_and(coalesce(rises, false)) OVER (\
            PARTITION BY source ORDER BY position ROWS UNBOUNDED PRECEDING), false) AS keeps \
            FROM compared), \
            placed AS (\
            SELECT source, destination, place, CASE WHEN keeps THEN place ELSE \
            coalesce(max(place) FILTER (WHERE keeps) OVER (PARTITION BY source), 1024) \
            + 1024 * row_number() OVER (PARTITION BY source, keeps ORDER BY position) END AS next \
            FROM marked) \
            INSERT INTO \(join.name) (\(source), \(destination), \(place)) \
            SELECT source, destination, next FROM placed WHERE place IS DISTINCT FROM next \
            ON CONFLICT (\(source), \(destination)) DO UPDATE SET \(place) = excluded.\(place)
            """
    }
}
#endif
