package config

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func TestWindows(t *testing.T) {
	night := []Window{{Days: []string{"Sat", "Sun"}, From: "22:00", To: "06:00"}}
	for _, c := range []struct {
		name    string
		windows []Window
		at      string
		open    bool
	}{
		{"no window: always", nil, "2026-11-30T12:00:00Z", true},
		{"before it begins, on Saturday", night, "2026-11-28T21:59:59Z", false},
		{"as it begins", night, "2026-11-28T22:00:00Z", true},
		{"past midnight", night, "2026-11-29T00:00:00Z", true},
		{"its last minute", night, "2026-11-29T05:59:59Z", true},
		{"as it ends", night, "2026-11-29T06:00:00Z", false},
		{"Monday morning belongs to Sunday", night, "2026-11-30T05:00:00Z", true},
		{"Monday night is none", night, "2026-11-30T23:00:00Z", false},
		{"Saturday morning belongs to Friday, which is none", night, "2026-11-28T05:00:00Z", false},
		{"whole days", []Window{{Days: []string{"Mon"}}}, "2026-11-30T23:59:59Z", true},
		{"and no more", []Window{{Days: []string{"Mon"}}}, "2026-12-01T00:00:00Z", false},
		{"every day", []Window{{From: "01:00", To: "02:00"}}, "2026-12-01T01:30:00Z", true},
		{"to the end of the day", []Window{{From: "23:00", To: "24:00"}}, "2026-12-01T23:59:00Z", true},
		{"any of two", append(night, Window{From: "12:00", To: "13:00"}), "2026-12-01T12:30:00Z", true},
		{"in its zone", []Window{{From: "22:00", To: "23:00", Zone: "Europe/Berlin"}}, "2026-11-30T21:30:00Z", true},
		{"and by its summer", []Window{{From: "22:00", To: "23:00", Zone: "Europe/Berlin"}}, "2026-06-30T20:30:00Z", true},
		{"and not by UTC", []Window{{From: "22:00", To: "23:00", Zone: "Europe/Berlin"}}, "2026-06-30T22:30:00Z", false},
		{"the day is that of the zone", []Window{{Days: []string{"Tue"}, Zone: "Asia/Tokyo"}}, "2026-11-30T16:00:00Z", true},
	} {
		calendar, err := Config{Windows: c.windows}.Calendar()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := calendar.Open(at); got != c.open {
			t.Errorf("%s: open at %s is %v", c.name, c.at, got)
		}
	}
}
