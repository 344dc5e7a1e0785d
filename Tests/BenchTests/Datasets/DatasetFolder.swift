import Datasets
import Foundation

/// A temporary folder with five small tables. A test replaces the table that it is about.
final class DatasetFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("datasets-\(UUID().uuidString)")

    /// The facts of the tables below.
    static let facts = DatasetFacts(
        airlineCount: 2, airportCount: 2, planeCount: 1, weatherCount: 1, flightCount: 3,
        flightsWithoutPlane: 2, flightsWithoutDestination: 1, distanceMilesTotal: 3_414)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try write("airlines", "carrier,name\nUA,United Air Lines Inc.\nMQ,Envoy Air\n")
        try write(
            "airports",
            """
            faa,name,lat,lon,alt,tz,dst,tzone
            EWR,Newark Liberty Intl,40.6925,-74.168667,18,-5,A,America/New_York
            IAH,George Bush Intercontinental,29.984433,-95.341442,97,-6,A,NA

            """)
        try write(
            "planes",
            """
            tailnum,year,type,manufacturer,model,engines,seats,speed,engine
            N14228,1999,Fixed wing multi engine,BOEING,737-824,2,149,NA,Turbo-fan

            """)
        try write(
            "weather",
            """
            origin,year,month,day,hour,temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,\
            pressure,visib,time_hour
            EWR,2013,1,1,5,39.02,26.06,59.37,270,10.357019999999999,NA,0,1012,10,\
            2013-01-01T10:00:00Z

            """)
        try write(
            "flights",
            """
            year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,\
            carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour
            2013,1,1,517,515,2,830,819,-11,UA,1545,N14228,EWR,IAH,227,1400,5,15,\
            2013-01-01T10:00:00Z
            2013,9,30,NA,1159,NA,NA,1344,NA,MQ,3572,N511MQ,EWR,IAH,NA,416,11,59,\
            2013-09-30T15:00:00Z
            2013,9,30,NA,840,NA,NA,1020,NA,MQ,3531,NA,EWR,SJU,NA,1598,8,40,2013-09-30T12:00:00Z

            """)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ table: String) -> String {
        url.appendingPathComponent(table + ".csv").path
    }

    func write(_ table: String, _ content: String) throws {
        try content.write(toFile: path(table), atomically: false, encoding: .utf8)
    }

    func replace(_ old: String, with new: String, in table: String) throws {
        let content = try String(contentsOfFile: path(table), encoding: .utf8)
        precondition(content.contains(old), "\(table) has no \(old) to replace")
        try write(table, content.replacingOccurrences(of: old, with: new))
    }

    func load(flightCount: Int? = nil) throws(DatasetError) -> FlightsDataset {
        try .load(from: url, flightCount: flightCount, expecting: Self.facts)
    }
}
